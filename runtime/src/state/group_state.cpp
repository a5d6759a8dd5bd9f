// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/group_state.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include <tessera/runtime/error.hpp>

#include "agents/progress_rank.hpp"
#include "conflicts/conflicts.hpp"
#include "conflicts/exchange.hpp"
#include "node/node_collectives.hpp"
#include "order/shadows.hpp"
#include "state/collectives.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {

std::shared_ptr<GroupState> GroupState::on_one_node(const GroupState& group, mpi::Comm comm) {
  auto part = std::make_shared<GroupState>(group.runtime_);
  part->join(std::move(comm));
  part->first_node_size_ = part->size_;
  part->is_node_part_ = true;
  part->node_of_.assign(static_cast<std::size_t>(part->size_), 0);
  for (int r = 0; r < group.size_; ++r) {
    if (!group.on_node(r)) continue;
    part->slot_.push_back(group.slot(r));
    part->world_rank_.push_back(group.world_rank(r));
  }
  return part;
}

// All members are in the call, so the agent need not run while the communicator is made.
void GroupState::join(mpi::Comm comm) {
  comm_ = std::move(comm);
  rank_ = mpi::rank(comm_.get());
  size_ = mpi::size(comm_.get());
  beside_ = mpi::dup(comm_.get());
}

// Finds out which members are on which nodes; each tells its own.
void GroupState::place_members(int world_rank, int node) {
  struct MemberPlace {
    int world_rank, node;
  };
  const MemberPlace mine{world_rank, node};
  std::vector<MemberPlace> places(static_cast<std::size_t>(size_));
  mpi::all_gather(comm_.get(), &mine, places.data(), sizeof mine);
  std::map<int, int> numbers;  // node id -> number by first appearance
  std::vector<int> members;    // so far on each node
  for (const MemberPlace& place : places) {
    const auto [found, is_new] = numbers.emplace(place.node, static_cast<int>(members.size()));
    if (is_new) members.push_back(0);
    world_rank_.push_back(place.world_rank);
    node_of_.push_back(found->second);
    slot_.push_back(members[static_cast<std::size_t>(found->second)]++);
  }
  node_ = node_of(rank_);
  node_count_ = static_cast<int>(members.size());
  first_node_size_ = members[0];
}

// The members agree by MPI here, as later agreements use the barrier that this opens.
void GroupState::open_barrier(const GroupState* world) {
  GroupState& on_node = node_group_ ? *node_group_ : *this;
  std::string problem;
  // A process that progresses messages of other nodes must not sleep.
  const bool sleeps = (world == nullptr ? node_count_ : world->node_count_) == 1;
  const auto unopened = [&] {
    return NodeBarrier(on_node.comm(), runtime_.is_crowded(),
                       sleeps ? NodeBarrier::Sleep::when_waiting_long : NodeBarrier::Sleep::never);
  };
  on_node.barrier_ = unopened();  // MPI makes its calls, as some nodes may have opened theirs and others not
  NodeBarrier barrier = unopened();
  barrier.open(problem);
  if (problem = agree(problem); !problem.empty()) throw MemoryError("a group's control page: " + problem);
  on_node.barrier_ = std::move(barrier);
}

std::shared_ptr<GroupState> GroupState::create(RuntimeState& runtime, mpi::Comm comm, const GroupState* world) {
  auto group = std::make_shared<GroupState>(runtime);
  group->join(std::move(comm));
  if (world == nullptr) {
    group->place_members(group->rank_, find_node_leader(group->comm(), runtime.node_size_limit()));
  } else {
    group->place_members(world->rank_, world->node_);
  }
  if (group->node_count_ > 1)
    group->node_group_ = on_one_node(*group, mpi::split(group->comm(), group->node_, group->rank_));
  group->open_barrier(world);
  group->open_clocks();
  return group;
}

void GroupState::open_clocks() {
  if (!runtime_.keeps_clock()) return;
  clocks_.open(comm());
  order::make_shadow(comm());
  if (node_group_) node_group_->open_clocks();
}

int GroupState::max_on_a_node() const noexcept { return *std::max_element(slot_.begin(), slot_.end()) + 1; }

int GroupState::rank_of_slot(index_t place) const noexcept {
  if (node_count_ == 1) return place < size_ ? static_cast<int>(place) : -1;
  for (int r = 0; r < size_; ++r) {
    if (on_node(r) && slot(r) == place) return r;
  }
  return -1;
}

MPI_Comm GroupState::between_nodes() {
  // Two nodes exchange messages. On comm_, a receive of the program could take them.
  if (node_count_ == size_) return size_ == 2 ? beside() : comm_.get();
  if (!has_leaders_) {
    // Making a communicator does not run the agent, so wait first until all members are there.
    mpi::barrier(comm_.get());
    leaders_ = mpi::split(comm_.get(), leads_node() ? 0 : -1, node_);
    has_leaders_ = true;
  }
  return leaders_.get();
}

void GroupState::throw_closed() {
  throw UsageError(
      "a group was used after its close() or the end of its Runtime; let the Runtime go out of scope last");
}

std::string GroupState::agree(const std::string& problem) {
  std::int64_t first = problem.empty() ? size_ : rank_;
  reduce_min(&first, 1);
  return tell(static_cast<int>(first), problem);
}

std::string GroupState::tell(int root, const std::string& problem) {
  if (root == size_) return {};
  auto length = static_cast<index_t>(problem.size());
  broadcast(*this, &length, sizeof length, root);
  std::string text(static_cast<std::size_t>(length), ' ');
  if (rank_ == root) text = problem;
  broadcast(*this, text.data(), length, root);
  return text;
}

void GroupState::reduce_min(std::int64_t* values, int count) {
  clocks_.everybody();
  reduce_few(values, count, Reduce::min);
}

// Between nodes all members reduce at once: by the nodes' first members it takes three turns instead of one.
void GroupState::reduce_few(std::int64_t* values, index_t count, Reduce operation) {
  node_count_ == 1 ? reduce_on_node(barrier_, values, count, ElementKind::int64, operation)
                   : all_reduce_few(comm_.get(), values, count, operation);
}

std::int64_t GroupState::meet(std::int64_t value) {
  const index_t settled = alive_.settle();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::int64_t least[2] = {settled, value};
  // A reduction is a barrier, too: no member has the result before all have called.
  reduce_min(least, 2);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  compare_accesses();
  reclaim(least[0]);
  return least[1];
}

void GroupState::compare_accesses() const {
  if (runtime_.keeps_clock())
    conflicts::compare_accesses({comm_.get(), world_rank_, rank_, number(), &of(runtime_.world()) == this});
}

// Accesses to segments that nobody closed are known no longer when the group is gone.
void GroupState::compare_for_the_last_time() noexcept {
  try {
    compare_accesses();
  } catch (...) {  // without memory for it, conflicts there are not found
  }
}

void GroupState::reclaim(index_t min_settled) {
  if (min_settled == 0) return;
  auto marks = alive_.marks();
  reduce_few(marks.data(), static_cast<index_t>(marks.size()), Reduce::bit_and);
  alive_.release(marks);
}

// The group's segments are freed with it.
void GroupState::quiesce() {
  alive_.quiesce_all();
  if (node_group_) node_group_->quiesce();
}

void GroupState::release() noexcept {
  if (conflicts::on() && comm_.get() != MPI_COMM_NULL)
    compare_for_the_last_time();  // else it was closed before
  alive_.release_all();
  slabs_.clear();
  barrier_ = NodeBarrier();
  if (node_group_) node_group_->release();
  leaders_.reset();
  beside_.reset();
  clocks_.close();
  comm_.reset();
}

}  // namespace tessera::detail
