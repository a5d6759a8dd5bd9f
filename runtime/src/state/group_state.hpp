// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "mpi/mpi.hpp"
#include "node/node_barrier.hpp"
#include "node/reclaim.hpp"
#include "state/clock_exchange.hpp"
#include "state/slab.hpp"

namespace tessera::detail {

class RuntimeState;

/// The state behind Group. Users hold shared pointers to it. release() frees what it owns, collectively; any
/// use after that throws.
class GroupState : public Collective {
 public:
  /// `world` is null for the world itself. @collective over comm @throws MemoryError on every member
  static std::shared_ptr<GroupState> create(RuntimeState& runtime, mpi::Comm comm, const GroupState* world);
  explicit GroupState(RuntimeState& runtime) : runtime_(runtime) {}
  static GroupState& of(const Group& group) { return group.state(); }

  RuntimeState& runtime() const noexcept { return runtime_; }
  MPI_Comm comm() const noexcept { return comm_.get(); }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  int node() const noexcept { return node_; }
  int node_count() const noexcept { return node_count_; }
  int first_node_size() const noexcept { return first_node_size_; }
  const std::vector<int>& world_ranks() const noexcept { return world_rank_; }
  int world_rank(int member) const noexcept { return world_rank_[static_cast<std::size_t>(member)]; }
  int node_of(int member) const noexcept { return node_of_[static_cast<std::size_t>(member)]; }
  bool on_node(int member) const noexcept { return node_of(member) == node_; }
  /// A member's place among the members on its node.
  int slot(int member) const noexcept { return slot_[static_cast<std::size_t>(member)]; }
  /// The largest number of members on one node.
  int max_on_a_node() const noexcept;
  /// The member with that place on this node; -1 if there is none. @local
  int rank_of_slot(index_t place) const noexcept;
  int node_ranks() const noexcept { return node_group_ ? node_group_->size_ : size_; }
  bool leads_node() const noexcept { return slot(rank_) == 0; }
  /// The group of the members on this node; null if the whole group is on one node.
  GroupState* node_group() const noexcept { return node_group_.get(); }
  bool is_node_part() const noexcept { return is_node_part_; }
  NodeBarrier& node_barrier() noexcept { return node_group_ ? node_group_->barrier_ : barrier_; }
  /// A communicator of each node's first member, in the order of the nodes; null on other members. @collective
  /// at the first call
  MPI_Comm between_nodes();
  /// A communicator of the members for messages, which must not meet those of the program on comm(). One
  /// member sends to itself, too. @local
  MPI_Comm beside() const noexcept { return beside_.get(); }
  Slabs& slabs() noexcept { return slabs_; }
  /// A number for the group's next region, the same on all members. @local
  std::uint64_t next_region() noexcept { return ++regions_; }

  /// Inline: every call of a Group begins with it.
  void require_open() const {
    if (!comm_) throw_closed();
  }
  /// Returns on every member the problem of the lowest rank that has one, so that all members can throw.
  /// @collective
  std::string agree(const std::string& problem);
  /// Returns on every member the problem of member `root`; empty if `root` is size(). @collective
  std::string tell(int root, const std::string& problem);
  /// A barrier that returns the minima of a few values over the members. @collective
  void reduce_min(std::int64_t* values, int count);
  /// The same for a check that the program did not ask for: it carries no clocks. @collective
  void compare_min(std::int64_t* values, int count) { reduce_few(values, count, Reduce::min); }
  /// Carries clocks with the group's collective calls and flags.
  ClockExchange& clocks() noexcept { return clocks_; }
  /// A barrier that also frees what every member has dropped; returns the least `value` of all members.
  /// @collective
  std::int64_t meet(std::int64_t value = 0);

  /// Compares the accesses to the group's segments, if they are checked for conflicts. @collective
  void compare_accesses() const;
  /// The group in this process. @local
  std::uint64_t number() const noexcept { return reinterpret_cast<std::uint64_t>(this); }

  /// Adds a new object to the objects that are freed by agreement. @collective
  void adopt(std::shared_ptr<Collective> object) { alive_.add(std::move(object)); }
  /// Settles what this member has dropped. Returns how many of its objects are settled, to compare with the
  /// others. @local
  index_t settle() { return alive_.settle(); }
  /// Frees what every member has settled. `min_settled` is the smallest count over the members. @collective
  void reclaim(index_t min_settled);
  /// Completes this member's operations on all these objects. @local
  void quiesce_all() { alive_.quiesce_all(); }
  /// Frees one object. @collective
  void release(const Collective& object) noexcept { alive_.release(object); }

  /// Completes and frees the group with all that is in it.
  void quiesce() override;
  void release() noexcept override;

 private:
  [[noreturn]] static void throw_closed();
  static std::shared_ptr<GroupState> on_one_node(const GroupState& group, mpi::Comm comm);
  void join(mpi::Comm comm);
  void place_members(int world_rank, int node);
  void open_barrier(const GroupState* world);
  void open_clocks();
  void compare_for_the_last_time() noexcept;
  void reduce_few(std::int64_t* values, index_t count, Reduce operation);

  RuntimeState& runtime_;
  mpi::Comm comm_, beside_;
  int rank_ = 0, size_ = 1;
  int node_ = 0, node_count_ = 1;
  int first_node_size_ = 1;
  // Per group, not per segment: the only tables that grow with the number of processes.
  std::vector<int> world_rank_, node_of_, slot_;
  std::shared_ptr<GroupState> node_group_;
  bool is_node_part_ = false;
  NodeBarrier barrier_;  // of a group on one node
  mpi::Comm leaders_;    // null before the first call of between_nodes()
  bool has_leaders_ = false;
  ReclaimList alive_;
  Slabs slabs_;
  ClockExchange clocks_;
  std::uint64_t regions_ = 0;
};

}  // namespace tessera::detail
