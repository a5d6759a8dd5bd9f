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

/// The longest sleep in nanoseconds; after it the sleeper polls MPI.
constexpr std::int64_t longest_sleep = 1'000'000;

/// Sleeps while `word` equals `value`, but not longer than `nanoseconds`, so that the caller can do other work.
/// It is not the private futex of std::atomic::wait, as processes of a node may share `word`.
/// @local
void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept;
/// Wakes one thread, or all threads, that sleep on the word. @local
void wake_one(std::uint32_t& word) noexcept;
void wake_all(std::uint32_t& word) noexcept;

}  // namespace tessera::detail
