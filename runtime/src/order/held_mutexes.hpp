// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::detail::order {

/// One mutex of the job, by the number of its set, which is the same on all ranks, and its index there.
struct HeldMutex {
  std::uint64_t set = 0;  // of the Mutexes object
  std::int64_t index = 0;

  auto operator<=>(const HeldMutex&) const = default;
};

/// The mutexes that the calling thread holds, in ascending order. Empty while clocks are off. @local
const std::vector<HeldMutex>& held_mutexes() noexcept;

/// A new number for a set of mutexes, which no other rank gives. @local
std::uint64_t next_mutex_set(int world_rank) noexcept;
/// Notes that the calling thread has locked or is about to unlock a mutex. @local
void hold_mutex(const HeldMutex& mutex);
void release_mutex(const HeldMutex& mutex) noexcept;

}  // namespace tessera::detail::order
