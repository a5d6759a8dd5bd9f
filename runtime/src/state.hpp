// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "lock_stripes.hpp"
#include "mpi.hpp"
#include "node_meeting.hpp"
#include "node_memory.hpp"
#include "reclaim.hpp"

// What stands behind Runtime, Group and Segment. Users hold shared pointers to these; what they own of MPI and
// of memory is freed by release(), collectively, and what is used after that throws.
namespace tessera::detail {

/// Memory on every member of a group and, where the group spans nodes, a window over it.
struct Region {
  NodeMemory memory;
  mpi::Win window;
  index_t stride = 0;      // bytes between the slices of two members on a node
  std::uint64_t salt = 0;  // spreads the regions over the lock stripes; the same on every member

  /// @collective @throws MemoryError, WindowError on every member; `what` names the segment in messages.
  static std::unique_ptr<Region> create(GroupState& group, index_t stride, index_t reserve,
                                        const std::string& what);
};

/// A region that small segments are cut from. Offsets are the same on every member, as every member makes the
/// same calls.
class Slab {
 public:
  static constexpr index_t bytes = index_t{1} << 20;
  static constexpr index_t largest = bytes / 16;
  explicit Slab(std::unique_ptr<Region> region) : region_(std::move(region)), free_{{0, bytes}} {}
  /// The offset of `size` free bytes, or -1. @local
  index_t take(index_t size);
  void give_back(index_t offset, index_t size);
  Region& region() const noexcept { return *region_; }

 private:
  std::unique_ptr<Region> region_;
  std::map<index_t, index_t> free_;  // offset -> size, no two adjacent
};

struct RuntimeState {
  ThreadLevel threads = ThreadLevel::single;
  bool owns_mpi = false;
  bool finished = false;
  index_t memory_limit = 0;
  index_t memory_in_use = 0;
  int node_size_limit = 0;  // TESSERA_NODE_SIZE; 0: as the machine says
  Group world;
  NodeMemory lock_table;
  LockStripes locks;
  std::vector<std::byte> scratch;  // packs what MPI cannot take as it lies

  static std::shared_ptr<RuntimeState> create(MPI_Comm parent, const RuntimeOptions& options);
  void finish();
};

struct GroupState : Collective {
  RuntimeState* runtime = nullptr;
  mpi::Comm comm;
  int rank = 0, size = 1;
  int node = 0, node_count = 1;
  int first_node_size = 1;
  // Per group, not per segment: the only tables that grow with the number of processes.
  std::vector<int> world_rank, node_of, slot;
  std::shared_ptr<GroupState> node_group;  // null where the group is on one node: it is its own
  NodeMeeting meeting;                     // of a group on one node
  ReclaimList alive;
  std::vector<std::unique_ptr<Slab>> slabs;
  std::uint64_t regions = 0;

  static std::shared_ptr<GroupState> create(RuntimeState& runtime, mpi::Comm comm, const GroupState* world);
  bool on_node(int other) const noexcept { return node_of[static_cast<std::size_t>(other)] == node; }
  MPI_Comm node_comm() const noexcept { return node_group ? node_group->comm.get() : comm.get(); }
  int node_ranks() const noexcept { return node_group ? node_group->size : size; }
  void require_open() const;
  /// Lets every member throw when one has a problem: returns the problem of the lowest rank that has one.
  /// @collective
  std::string agree(const std::string& problem);
  /// Returns when all members have called, with the least of each of a few values. @collective
  void reduce_min(std::int64_t* values, int count);
  /// A barrier that also frees what every member has dropped. @collective
  void meet();
  /// Frees what every member has dropped. `least_dropped` is the smallest count over the members. @collective
  void reclaim(index_t least_dropped);
  /// Keeps the new object among those that are freed by agreement. @collective
  void adopt(std::shared_ptr<Collective> object) { alive.add(std::move(object)); }

  void quiesce() override {}
  void release() noexcept override;
};

struct SegmentState : Collective {
  GroupState* group = nullptr;  // outlives every open segment
  std::string name;
  AtomicDomain domain = AtomicDomain::cpu;
  index_t slice = 0;               // bytes of the largest slice
  std::unique_ptr<Region> own;     // a large segment's
  Slab* slab = nullptr;            // or the slab that a small one is cut from
  Region* region = nullptr;        // either; null once released
  std::byte* node_base = nullptr;  // of the node's first slice
  index_t offset = 0;              // within each member's slice of the region
  index_t accounted = 0;

  // What is under way to a member by way of the window: only for members talked to.
  enum Mark : unsigned { put_mark = 1, acc_mark = 2 };
  mutable std::unordered_map<int, unsigned> marks;

  std::byte* address(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return group->node_of[r] == group->node ? node_base + group->slot[r] * region->stride : nullptr;
  }
  void require_open() const;
  void complete(int rank, unsigned kinds) const;  // flushes if one of the kinds is under way
  void complete_all() const;
  std::uint64_t stripe(const std::byte* where) const noexcept {
    return static_cast<std::uint64_t>((where - region->memory.base()) / LockStripes::block) + region->salt;
  }

  void quiesce() override { complete_all(); }
  void release() noexcept override;
};

// segment.cpp
/// @collective @throws as Segment::Segment
std::shared_ptr<SegmentState> create_segment(GroupState& group, index_t bytes, std::string_view name,
                                             std::uint64_t fingerprint);

// transfer.cpp
void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source);
void transfer_get(const SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  std::byte* target);
void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         ElementKind kind, const void* alpha, const std::byte* source);
void transfer_fetch_add(SegmentState& segment, int rank, index_t offset, ElementKind kind, const void* value,
                        void* result);

// window.cpp
/// Makes the window of a region and tests it: the memory model, and data put to and got from this process
/// itself and one on another node. An empty window with `problem` set, the same on every member, if MPI has
/// none that works. @collective
mpi::Win create_tested_window(GroupState& group, std::byte* slice, index_t bytes, std::string& problem);

// terminate.cpp
/// While one lives, an uncaught exception prints rank and message and aborts the job.
void install_terminate_handler(const GroupState& world);
void remove_terminate_handler() noexcept;
/// Prints `[rank r of n] message` and aborts the job.
[[noreturn]] void abort_job(const GroupState& world, const std::string& message) noexcept;

}  // namespace tessera::detail
