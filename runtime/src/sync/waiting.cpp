// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sync/waiting.hpp"

#include <tessera/runtime/detail/wait.hpp>

#include "agents/progress.hpp"
#include "base/give_way.hpp"
#include "base/pause.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {
namespace {

// Between nodes, at level serialized, a thread that waits may take a turn at MPI: it may be the only one in
// Tessera.
bool may_serve(const GroupState& group) {
  return group.node_count() > 1 ? group.runtime().threads().may_take_turns()
                                : group.runtime().threads().may_call_mpi();
}

}  // namespace

void keep_mpi_going(const GroupState& group) {
  RuntimeState& runtime = group.runtime();
  if (!may_serve(group)) return;
  if (Progress* const progress = runtime.progress()) {
    progress->host().serve();
    return progress->host().serve_others();
  }
  const NetworkLock lock(runtime.threads());
  mpi::progress(group.comm());
}

// Between nodes notifications come by the agent, so spinning is of no use. In a group on one node the process
// may sleep between turns, so its agent is left to the thread.
Waiting::Waiting(const GroupState& group) noexcept
    : group_(group),
      spins_left_(group.node_count() > 1         ? 0
                  : group.runtime().is_crowded() ? 1
                                                 : max_spins) {
  if (group_.node_count() == 1 || group_.runtime().progress() == nullptr || !may_serve(group_)) return;
  served_ = &group_.runtime().progress()->host();
  served_->begin();
}

Waiting::~Waiting() {
  if (served_ != nullptr) served_->end();
}

bool Waiting::turn() {
  if (spins_left_ > 0) {
    --spins_left_;
    pause();
    return true;
  }
  keep_mpi_going(group_);
  if (served_ == nullptr) give_way();  // else the turn has yielded
  return false;
}

void wait_turn(const Group& group) {
  keep_mpi_going(GroupState::of(group));
  give_way();
}

}  // namespace tessera::detail
