// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "base/activity.hpp"

namespace tessera::detail {

class AgentHost;
class GroupState;

/// Progresses MPI, and the requests of other processes to this one, if this thread may call MPI. @local
void keep_mpi_going(const GroupState& group);

/// A wait: it spins first, then gives the core away and progresses MPI at each turn. So it works with more
/// processes than cores, and a program whose own messages are still under way cannot deadlock.
class Waiting {
 public:
  explicit Waiting(const GroupState& group) noexcept;
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  /// One turn. Returns false when spinning is over: the caller may then sleep instead. @local
  bool turn();

 private:
  static constexpr int max_spins = 4000;  // some microseconds: longer than a barrier takes when all are there
  const GroupState& group_;
  int spins_left_;
  AgentHost* served_ = nullptr;  // this wait runs its agent
  activity::Wait waits_{"a flag or a mutex"};
};

}  // namespace tessera::detail
