// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

/// The order between the events of the ranks: vector clocks (Mattern, Virtual Time and Global States of
/// Distributed Systems, 1989). An event of rank r has a stamp, which is component r of that rank's clock at the
/// event. It happens before all that follows on a rank whose clock has at least that stamp in component r. The
/// threads of a process count as one.
namespace tessera::detail::order {

/// One component for each rank of the world, and after them one for the notices of each rank. A notice is a put
/// that is complete for those alone that hear of it: it travels with one notification, and from its receiver on
/// with all clocks.
using VectorClock = std::vector<std::uint64_t>;

/// The number of the newest notice of a rank that a clock knows. @local
inline std::uint64_t notice_of(const VectorClock& clock, int rank) noexcept {
  return clock[clock.size() / 2 + static_cast<std::size_t>(rank)];
}

namespace switches {
// Changes only while the Runtime starts or ends, but the agent's thread reads it then.
inline std::atomic<bool> clocks{false};
}  // namespace switches

/// Says whether the process keeps a clock.
inline bool clocks_on() noexcept { return switches::clocks.load(std::memory_order_relaxed); }

/// Begins the clock of a rank: one in its own component, zero in all others. @local
void start_clock(int ranks, int rank);
/// Ends it. @local
void stop_clock() noexcept;
/// Counts the clocks that this process has begun. @local
std::uint64_t clock_number() noexcept;

/// The clock of this process, a copy. The same calls from several threads are safe, as for all functions here.
VectorClock clock();
/// The own component of the clock.
std::uint64_t stamp() noexcept;
/// Changes whenever merge_clock() has changed the clock, so that copies of it can be shared until then.
std::uint64_t clock_version() noexcept;
/// Takes the maximum of each component: all that happens before `other` happens before what follows here.
void merge_clock(std::span<const std::uint64_t> other);
/// Advances the own component, and returns it.
std::uint64_t tick();
/// Returns the clock for a message, and then advances the own component. So an event after the message has a
/// stamp that its receiver does not have.
VectorClock release_clock();
/// The same for a message that tells of a notice of this rank.
VectorClock release_clock_with(std::uint64_t notice);
/// Numbers a notice of this rank, from 1 on.
std::uint64_t next_notice() noexcept;
/// While a clock is set, release_clock() of this thread returns it, with the own component of now. Null: the
/// whole clock again. Returns the one before. @local
const VectorClock* release_as(const VectorClock* clock) noexcept;

}  // namespace tessera::detail::order
