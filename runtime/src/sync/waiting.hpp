// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "base/activity.hpp"

namespace tessera::detail {

class AgentHost;
class GroupState;

/// Lets MPI get on with what others want of this process, if this thread may call it. @local
void keep_mpi_going(const GroupState& group);

/// How a wait goes on: spins first, then gives the processor away and keeps MPI going, so that it works with
/// more processes than cores, and cannot lock up a program whose own messages are still under way.
class Waiting {
 public:
  explicit Waiting(const GroupState& group) noexcept;
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  /// A turn. False when spinning is over, and the caller may want to sleep instead. @local
  bool turn();

 private:
  static constexpr int most_spins = 4000;  // some microseconds: longer than a barrier takes when all are there
  const GroupState& group_;
  int spins_left_;
  AgentHost* served_ = nullptr;  // whose agent this wait runs
  activity::Wait waits_{"a flag or a mutex"};
};

}  // namespace tessera::detail
