// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/pause.hpp"

#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::detail {

void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept {
  const timespec limit{0, nanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake_one(std::uint32_t& word) noexcept { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

void wake_all(std::uint32_t& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace tessera::detail
