// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/give_way.hpp"

#include <chrono>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::detail {
namespace {

using Clock = std::chrono::steady_clock;

// A yield that takes so long has lost the core to a thread that computes.
constexpr auto late = std::chrono::milliseconds(1);
// Short against a time slice of some milliseconds, and long against a look.
constexpr timespec nap{0, 100'000};
constexpr int naps_after_late_yield = 200;

}  // namespace

// The system call itself: tessera-run's library puts this function in the place of sched_yield.
void give_way() noexcept {
  static thread_local int naps_left = 0;
  if (naps_left > 0) {
    --naps_left;
    nanosleep(&nap, nullptr);
    return;
  }
  const auto start = Clock::now();
  syscall(SYS_sched_yield);
  if (Clock::now() - start >= late) naps_left = naps_after_late_yield;
}

}  // namespace tessera::detail
