// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "elements.hpp"
#include "environment.hpp"
#include "free_list.hpp"
#include "lock_stripes.hpp"
#include "mpi.hpp"
#include "node_meeting.hpp"
#include "node_memory.hpp"
#include "path_choice.hpp"
#include "pending.hpp"
#include "reclaim.hpp"
#include "tallies.hpp"
#include "under_way.hpp"
#include "verb.hpp"

// What stands behind Runtime, Group and Segment. Users hold shared pointers to these; what they own of MPI and
// of memory is freed by release(), collectively, and what is used after that throws.
namespace tessera::detail {

class Progress;
class Watchdog;
class WindowStage;
struct ProgressRanks;
struct Address;

/// Whether memory is to be had by MPI's one-sided calls as well as by loads and stores.
enum class Reach { node, window };

/// Memory on every member of a group and a window over it, if one is needed.
struct Region {
  GroupState* group = nullptr;
  NodeMemory memory;
  mpi::Win window;
  index_t stride = 0;      // bytes between the slices of two members on a node
  std::uint64_t salt = 0;  // spreads the regions over the lock stripes; the same on every member
  // To agents: the same on every member, and never used again; 0 where nobody asks them.
  std::uint64_t number = 0;
  bool shown_to_agents = false;               // by this process, to those in processes of their own
  std::map<index_t, SegmentState*> segments;  // by their offset in each slice
  std::vector<SegmentState*> parts;           // of these

  /// @collective @throws MemoryError, WindowError on every member; `what` names the segment in messages.
  static std::unique_ptr<Region> create(GroupState& group, index_t stride, index_t reserve, Reach reach,
                                        bool must_have_window, const std::string& what);
  ~Region();
  const std::byte* end() const noexcept;
};

/// A region that small segments are cut from. Offsets are the same on every member, as every member makes the
/// same calls.
struct Slab {
  static constexpr index_t bytes = index_t{1} << 20;
  static constexpr index_t largest = bytes / 16;
  std::unique_ptr<Region> region;
  FreeList free{bytes};
};

struct RuntimeState {
  ThreadLevel threads = ThreadLevel::single;
  bool owns_mpi = false;
  bool crowded = false;  // more processes on this machine than cores, of whatever node they are taken for
  bool finished = false;
  Environment environment;
  index_t memory_in_use = 0;
  int node_size_limit = 0;  // of those that do not serve; 0: as the machine says
  Group world;
  NodeMemory lock_table;
  LockStripes locks;
  std::vector<std::shared_ptr<GroupState>> formed;  // groups that no parent knows of
  std::int64_t formed_groups = 0;

  // What threads share. One of them at a time is between the nodes (see WindowLock).
  std::thread::id main_thread = std::this_thread::get_id();
  std::vector<std::byte> scratch;                    // packs what MPI cannot take as it lies
  std::deque<std::shared_ptr<Pending>> outstanding;  // oldest first
  std::atomic<std::size_t> outstanding_count{0};     // for who looks without the lock
  std::atomic<std::size_t> moving_count{0};          // those of them that do not get on by themselves
  std::mutex registry_mutex;
  std::map<const std::byte*, Region*> regions;  // by where they begin
  std::atomic<int> windows{0};                  // regions with one
  Statistics closed;                            // of segments that are no more

  mpi::Comm with_agents;               // and the world, where agents have processes of their own
  std::unique_ptr<Progress> progress;  // where the world spans nodes
  std::unique_ptr<Watchdog> watchdog;  // TESSERA_DEBUG=hang
  std::string window_problem;          // why MPI's windows cannot be used, if so
  PathChoice paths;                    // of what automatic chooses
  std::uint64_t numbered_regions = 0;

  RuntimeState();
  ~RuntimeState();
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  static std::shared_ptr<RuntimeState> create(MPI_Comm parent, const Environment& environment,
                                              ProgressRanks ranks);
  void finish();
  /// Runs the agent, where nobody does that but those who call. @local
  void poll();
  /// Moves all transfers on that are under way; whether one was done. Under the window lock. @local
  bool advance_outstanding();
  /// Completes all of this process's operations at their targets. @onesided
  void complete_all();
  /// Whether this thread may call MPI while others are in it. @local
  bool may_call_mpi() const noexcept {
    return threads == ThreadLevel::multiple || std::this_thread::get_id() == main_thread;
  }
  /// Whether it may between nodes, where threads can take turns at MPI: under the window lock. @local
  bool may_take_turns() const noexcept { return threads == ThreadLevel::serialized || may_call_mpi(); }
  Statistics statistics();
  /// How many one-sided operations this process has made; nothing while a thread is busy with its segments.
  /// @local
  std::optional<std::uint64_t> operations_so_far();
};

/// Held by the thread that works between the nodes.
class WindowLock {
 public:
  /// @throws UsageError if MPI does not allow this thread to call it.
  explicit WindowLock(RuntimeState& runtime);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
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
  mpi::Comm leaders;                       // the first members on all nodes, once they have been asked for
  bool has_leaders = false;
  ReclaimList alive;
  std::vector<std::unique_ptr<Slab>> slabs[2];  // by Reach
  bool is_node_part = false;
  std::pair<std::int64_t, int> formed_key{};  // orders the groups formed by their members alike on all of them
  std::uint64_t regions = 0;

  static std::shared_ptr<GroupState> create(RuntimeState& runtime, mpi::Comm comm, const GroupState* world);
  static GroupState& of(const Group& group) { return group.state(); }
  bool on_node(int other) const noexcept { return node_of[static_cast<std::size_t>(other)] == node; }
  NodeMeeting& node_meeting() noexcept { return node_group ? node_group->meeting : meeting; }
  bool leads_node() const noexcept { return slot[static_cast<std::size_t>(rank)] == 0; }
  int node_ranks() const noexcept { return node_group ? node_group->size : size; }
  /// The member with that place on this node; -1 if there is none. @local
  int rank_of_slot(index_t place) const noexcept;
  void require_open() const;
  /// Lets every member throw when one has a problem: returns the problem of the lowest rank that has one.
  /// @collective
  std::string agree(const std::string& problem);
  /// The problem of that member, in its words. @collective
  std::string tell(int root, const std::string& problem);
  /// Returns when all members have called, with the least of each of a few values. @collective
  void reduce_min(std::int64_t* values, int count);
  /// collectives.cpp: in the nodes' memory, and by MPI between their first members. @collective
  void all_reduce(void* data, index_t count, ElementKind kind, Reduce operation);
  void broadcast(void* data, index_t bytes, int root);
  void all_gather(const void* value, void* all, index_t bytes);
  /// A barrier that also frees what every member has dropped; returns the least of what all pass. @collective
  std::int64_t meet(std::int64_t value = 0);
  /// Frees what every member has settled. `least_settled` is the smallest count over the members. @collective
  void reclaim(index_t least_settled);
  /// Keeps the new object among those that are freed by agreement. @collective
  void adopt(std::shared_ptr<Collective> object) { alive.add(std::move(object)); }

  void quiesce() override;
  void release() noexcept override;

 private:
  MPI_Comm between_nodes();
  void reduce_few(std::int64_t* values, index_t count, Reduce operation);
};

/// What a segment may be used for.
enum class Use { data, scalars };

struct SegmentState : Collective, SegmentFace {
  GroupState* group = nullptr;        // outlives every open segment
  std::weak_ptr<SegmentFace> handle;  // the user's, and that of its group
  std::weak_ptr<GroupState> group_handle;
  std::string name;
  AtomicDomain domain = AtomicDomain::cpu;
  TransferMethod method = TransferMethod::automatic;
  Use use = Use::data;
  std::unique_ptr<Region> own;         // a large segment's
  Slab* slab = nullptr;                // or the slab that a small one is cut from
  std::shared_ptr<SegmentFace> whole;  // or the segment that this is a part of
  Region* region = nullptr;            // either; null once released
  index_t offset = 0;                  // within each member's slice of the region
  index_t accounted = 0;
  bool polls = false;  // every operation runs the agent
  LockStripes locks;   // the runtime's: within reach, as an atomic operation takes few nanoseconds
  mutable Tallies tallies;

  mutable UnderWay under_way;
  mutable std::atomic<std::uint64_t> flushes{0};

  static SegmentState& of(const Segment& segment) { return segment.state(); }
  std::byte* address(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return group->node_of[r] == group->node ? base + group->slot[r] * stride : nullptr;
  }
  /// A place at a member on another node.
  Address remote(int rank, index_t offset) const noexcept;
  Striped stripes() const noexcept { return {locks, region->memory.base(), region->salt}; }
  void require_open() const;
  /// What every operation begins with.
  void require(Use wanted) const;
  /// Completes all that is under way to a rank if one of these is.
  void complete(int rank, unsigned marks) const;
  void complete_all() const;
  Statistics statistics() const;

  void quiesce() override { complete_all(); }
  void release() noexcept override;
};

// transfer.cpp: what Segment's members do.
void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending = nullptr);
void transfer_get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending = nullptr);
void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending = nullptr);
/// A put whose agent notifies a flag when it is done, in one message. False, and nothing done, if no agent does
/// both.
bool put_with_notice(Segment& segment, int rank, index_t offset, const Strided& shape, const std::byte* source,
                     const Segment& flags, int flag_rank, index_t flag_offset);
/// @throws UsageError if there is no such member
void check_rank(const SegmentState& segment, int rank);
/// @throws UsageError if [offset, offset + bytes) is not in the slice of a member
void check_place(const SegmentState& segment, int rank, index_t offset, index_t bytes);

// atomics.cpp
void element_update(SegmentState& segment, int rank, index_t offset, ElementKind kind, Update update,
                    const void* value, void* result);
bool element_compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* expected,
                              const void* desired);

// window.cpp
/// Makes the window of a region and tests it: the memory model, and data put to and got from this process
/// itself and one on another node. An empty window with `problem` set, the same on every member, if MPI has
/// none that works. @collective
mpi::Win create_tested_window(GroupState& group, std::byte* slice, index_t bytes, std::string& problem);

// terminate.cpp
/// While a Runtime lives, an uncaught exception prints rank and message and aborts the job. The rank is that in
/// the Runtime's world, or in MPI_COMM_WORLD where several live.
void install_terminate_handler(const RuntimeState& runtime);
void remove_terminate_handler(const RuntimeState& runtime) noexcept;
/// Prints `[rank r of n] message` and aborts the job.
[[noreturn]] void abort_job(const GroupState& world, const std::string& message) noexcept;

}  // namespace tessera::detail
