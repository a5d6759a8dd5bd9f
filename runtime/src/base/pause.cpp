// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/pause.hpp"

#include <chrono>
#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::detail {
namespace {

// A yield that takes so long has lost the core to a thread that computes.
constexpr auto late = std::chrono::milliseconds(1);
// Short against a time slice of some milliseconds, and long against a look.
constexpr std::int64_t nap_ns = 100'000;
constexpr int naps_after_late_yield = 200;

}  // namespace

void give_way() noexcept {
  static thread_local int naps_left = 0;
  if (naps_left > 0) {
    --naps_left;
    const timespec nap{0, nap_ns};
    nanosleep(&nap, nullptr);
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  sched_yield();
  if (std::chrono::steady_clock::now() - start >= late) naps_left = naps_after_late_yield;
}

void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept {
  const timespec limit{0, nanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake_one(std::uint32_t& word) noexcept { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

void wake_all(std::uint32_t& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace tessera::detail
