// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_test.hpp"
#include "order/clock.hpp"

namespace tessera::test {

using detail::order::VectorClock;

inline int me() { return world().rank(); }
inline int size() { return world().size(); }

/// The clocks of all ranks by their definition: every rank computes them all, from the same list of events.
class ClockModel {
 public:
  /// Begins with the clocks as they are. No clock travels with the exchange. @collective
  ClockModel() {
    const VectorClock mine = detail::order::clock();
    VectorClock all(mine.size() * at(world().size()));
    const int n = static_cast<int>(mine.size());
    PMPI_Allgather(mine.data(), n, MPI_UINT64_T, all.data(), n, MPI_UINT64_T, world().mpi_comm());
    for (auto clock = all.begin(); clock != all.end(); clock += n) now_.emplace_back(clock, clock + n);
  }

  void event(int rank) { ++now_[at(rank)][at(rank)]; }
  /// The clock that a message takes along.
  VectorClock sent(int rank) {
    VectorClock clock = now_[at(rank)];
    event(rank);
    return clock;
  }
  void received(int rank, const VectorClock& clock) {
    for (std::size_t c = 0; c < clock.size(); ++c) now_[at(rank)][c] = std::max(now_[at(rank)][c], clock[c]);
  }
  void message(int from, int to) { received(to, sent(from)); }
  /// A message that tells of a notice of its sender.
  void message_of_notice(int from, int to, std::uint64_t notice) {
    VectorClock clock = sent(from);
    clock[at(world().size() + from)] = notice;
    received(to, clock);
  }
  /// A collective call of some ranks: those in `givers` send, those in `takers` receive from all givers.
  void collective(const std::vector<int>& givers, const std::vector<int>& takers) {
    std::vector<VectorClock> given;
    for (const int giver : givers) given.push_back(sent(giver));
    for (const int taker : takers) {
      for (const VectorClock& clock : given) received(taker, clock);
    }
  }
  void collective(const std::vector<int>& members) { collective(members, members); }

  /// Compares this rank's clock. @local
  void check(const char* what) const {
    EXPECT_EQ(detail::order::clock(), now_[at(world().rank())]) << "after " << what;
  }

 private:
  std::vector<VectorClock> now_;
};

/// An event of a rank that no other rank knows of yet.
inline void event_of(int rank, ClockModel& model) {
  model.event(rank);
  if (world().rank() == rank) detail::order::tick();
}

/// All ranks of the world.
inline std::vector<int> everybody() {
  std::vector<int> all;
  for (int r = 0; r < world().size(); ++r) all.push_back(r);
  return all;
}

}  // namespace tessera::test
