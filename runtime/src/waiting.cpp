// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "waiting.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <vector>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tessera/runtime/detail/wait.hpp>

#include "cores.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera::detail {

void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept {
  const timespec limit{0, nanoseconds};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake_one(std::uint32_t& word) noexcept { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

void wake_all(std::uint32_t& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

namespace {

// Where threads take turns at MPI, one that waits may be the only one of them that is in Tessera.
bool may_serve(const GroupState& group) {
  return group.node_count > 1 ? group.runtime->may_take_turns() : group.runtime->may_call_mpi();
}

}  // namespace

void keep_mpi_going(const GroupState& group) {
  RuntimeState& runtime = *group.runtime;
  if (!may_serve(group)) return;
  if (runtime.progress) {
    runtime.progress->serve();
    return runtime.progress->serve_others();
  }
  const WindowLock lock(runtime);
  mpi::progress(group.comm.get());
}

// What comes from other nodes comes by the agent, so there is nothing to spin for. Where the group is on one
// node, a process that waits may sleep between its turns, and the thread has to be there.
Waiting::Waiting(const GroupState& group) noexcept
    : group_(group),
      spins_left_(group.node_count > 1     ? 0
                  : group.runtime->crowded ? 1
                                           : most_spins) {
  if (group_.node_count == 1 || !group_.runtime->progress || !may_serve(group_)) return;
  served_ = group_.runtime->progress.get();
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
  sched_yield();
  return false;
}

void wait_turn(const Group& group) {
  keep_mpi_going(GroupState::of(group));
  sched_yield();
}

bool is_crowded(MPI_Comm all) {
  const Cores mine = Cores::mine();
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(mpi::size(all)));
  mpi::all_gather(all, &mine.id, ids.data(), sizeof mine.id);
  return std::count(ids.begin(), ids.end(), mine.id) > mine.count;
}

}  // namespace tessera::detail
