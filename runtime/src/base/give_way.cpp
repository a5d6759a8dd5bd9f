// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/give_way.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

// Nothing that the C++ library's binary has is used here, because tessera-run loads this file into programs of
// all kinds.
namespace tessera::detail {
namespace {

// In nanoseconds. A yield that takes so long has lost the core to a thread that computes.
constexpr std::int64_t late = 1'000'000;
// Short against a time slice of some milliseconds, and long against a look.
constexpr std::int64_t nap = 100'000;
// After a late yield, naps take the place of yields for a time. It is short after the first, as the other
// thread may be gone, and doubles while yields come late.
constexpr std::int64_t shortest_nap_time = 1'000'000, longest_nap_time = 64'000'000;

// Of this thread.
thread_local std::int64_t naps_until = 0, nap_time = shortest_nap_time;

std::int64_t now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

bool do_yields_come_late() noexcept { return naps_until != 0 && now() < naps_until; }

// It makes system calls themselves: tessera-run's library puts this function in the place of sched_yield, which
// neither ends a thread that was cancelled nor changes errno.
void give_way() noexcept {
  const std::int64_t start = now();
  if (start < naps_until) {
    const int before = errno;
    const timespec time{0, nap};
    syscall(SYS_nanosleep, &time, nullptr);
    errno = before;
    return;
  }
  syscall(SYS_sched_yield);
  const std::int64_t end = now();
  const bool is_late = end - start >= late;
  nap_time = is_late ? std::min(2 * nap_time, longest_nap_time) : std::max(nap_time / 2, shortest_nap_time);
  naps_until = is_late ? end + nap_time : 0;
}

}  // namespace tessera::detail
