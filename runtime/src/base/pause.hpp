// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

namespace tessera::detail {

/// One turn of a spinning wait. @local
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Nanoseconds that one sleeps at most: then it looks after MPI.
constexpr std::int64_t longest_sleep = 1'000'000;

/// Sleeps while `word`, which processes of a node may share, has a value; at most some time, so that the caller
/// can look after other things. Not the private futex of std::atomic::wait: others may be in other processes.
/// @local
void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept;
/// Wakes one, or all, that sleep on the word. @local
void wake_one(std::uint32_t& word) noexcept;
void wake_all(std::uint32_t& word) noexcept;

}  // namespace tessera::detail
