// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

#include "agents/doorbell.hpp"
#include "agents/event_sets.hpp"

namespace tessera::detail {

/// How an agent's thread rests when it has found nothing to do: it lingers, then sleeps until it is rung. While
/// something is under way, MPI's event sets wake it, too. Each wake-up of a thread whose core is used by
/// another takes about as long as four messages, so it sleeps through if MPI's events are known to come.
class Rest {
 public:
  /// `crowded`: another thread needs the core.
  Rest(Doorbell& bell, bool crowded) : bell_(bell), crowded_(crowded) {}

  /// Tells that the last turn had something to do. @local
  void worked() noexcept;
  /// Whether to look on without sleep. @local
  bool lingers(bool is_under_way) const noexcept;
  /// Whether there has been work lately, and begins to count anew. @local
  bool has_worked_lately() const noexcept { return Clock::now() - since_ < linger; }
  void begin() noexcept { since_ = Clock::now(); }
  /// Sleeps until the thread is rung or nudged, or the time is over. @local
  void sleep(std::chrono::nanoseconds longest) noexcept;
  /// The same while something is under way: until MPI has something to do, or for a nap. @local
  void nap() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  bool trusts_events() const noexcept { return distrust_ == 0; }

  Doorbell& bell_;
  bool crowded_;
  EventSets sets_;
  Clock::time_point since_ = Clock::now();  // the last work
  std::chrono::nanoseconds nap_ = shortest_nap;
  Doorbell::Woken woken_ = Doorbell::Woken::by_bell;
  int distrust_ = 1;  // events with something to do that have to come before they are relied on
  int in_vain_ = 0;   // events in a row that were there before the sleep began

  // Long enough for a process that sends one request after the other, and short enough to leave the core to
  // threads that compute.
  static constexpr auto linger = std::chrono::microseconds(50);
  static constexpr auto shortest_nap = std::chrono::microseconds(10),
                        longest_nap = std::chrono::microseconds(200);
  // After something to do came without an event: part of MPI's traffic may go through shared memory.
  static constexpr int much_distrust = 8;
  // In case an event that was trusted to come does not.
  static constexpr auto longest_trust = std::chrono::milliseconds(1);
  // A set may stay readable for reasons that no turn here removes. Then this would be no rest.
  static constexpr int most_in_vain = 4;
  static constexpr auto at_once = std::chrono::microseconds(20);
};

}  // namespace tessera::detail
