// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <mpi.h>

#include <tessera/runtime/runtime.hpp>

#include "agents/doorbell.hpp"

namespace tessera::detail {

/// Whether a thread of each process runs its agent. @local
constexpr bool has_thread(ProgressMode mode) noexcept {
  return mode == ProgressMode::thread || mode == ProgressMode::spin;
}

/// The doorbells of all processes: they wake agents that sleep. It knows which agents linger before they sleep.
class Bells {
 public:
  /// @collective over `all`, whose ranks are the agents' numbers
  Bells(MPI_Comm all, ProgressMode mode);
  /// Tests whether bells are heard: each member rings one agent, or none (-1), and each is rung by one member.
  /// @collective over `world`, whose processes all have agents
  void test(MPI_Comm world, int agent);

  /// Whether agents can be woken; if not, they poll. @local
  bool are_heard() const noexcept { return heard_; }
  /// Whether an agent polls for a while after each request. @local
  bool lingers(int agent) const noexcept { return addresses_[static_cast<std::size_t>(agent)].lingers; }
  /// Whether the processes that share these cores, plus the agents' threads that may be awake, outnumber the
  /// cores: one in mode thread, all in mode spin. @local
  bool are_crowded() const noexcept { return crowded_; }
  /// @local
  void ring(int agent) const noexcept;
  /// This process's own bell, for its thread that sleeps until it is rung. @local
  Doorbell& mine() noexcept { return mine_; }

 private:
  ProgressMode mode_;
  Doorbell mine_;
  std::vector<Doorbell::Address> addresses_;
  bool heard_ = false, crowded_ = false;
};

}  // namespace tessera::detail
