// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "completion/outstanding.hpp"
#include "kernels/lock_stripes.hpp"
#include "mpi/mpi.hpp"
#include "mpi/threads.hpp"
#include "node/node_memory.hpp"
#include "state/environment.hpp"
#include "state/formed_groups.hpp"
#include "state/path_choice.hpp"
#include "state/registry.hpp"

namespace tessera::detail {

class Progress;
class Tracing;
class Watchdog;
struct ProgressRanks;

/// The state behind Runtime: the world, and the services that its groups and segments share. Each service
/// manages itself.
class RuntimeState {
 public:
  /// @collective over `parent`
  static std::shared_ptr<RuntimeState> create(MPI_Comm parent, const Environment& environment,
                                              ProgressRanks ranks);
  explicit RuntimeState(const Environment& environment);
  ~RuntimeState();
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;
  /// Completes and frees everything. @collective
  void finish();
  bool is_finished() const noexcept { return finished_; }
  /// Whether all ranks of the world keep a clock; see order/.
  bool keeps_clock() const noexcept { return keeps_clock_; }

  const Environment& environment() const noexcept { return environment_; }
  const Threads& threads() const noexcept { return threads_; }
  const Group& world() const noexcept { return world_; }
  /// Most ranks that count as a node, without the ranks that serve; 0: as the machine says.
  int node_size_limit() const noexcept { return node_size_limit_; }
  /// Whether this machine has more processes than cores, whatever nodes the processes belong to.
  bool is_crowded() const noexcept { return crowded_; }

  Outstanding& outstanding() noexcept { return outstanding_; }
  Registry& registry() noexcept { return registry_; }
  FormedGroups& formed_groups() noexcept { return formed_groups_; }
  const LockStripes& locks() const noexcept { return locks_; }
  /// The agents; null where the world is on one node.
  Progress* progress() const noexcept { return progress_.get(); }
  /// Why MPI's windows cannot be used, if so.
  const std::string& window_problem() const noexcept { return window_problem_; }
  /// What `automatic` chooses.
  const PathChoice& path_choice() const noexcept { return path_choice_; }
  void choose_paths(const PathChoice& choice) noexcept { path_choice_ = choice; }
  /// Why transfers between nodes travel as they do.
  const std::string& path_reason() const noexcept { return path_reason_; }
  /// Settings by which a program may be slow or stand still; the same on all processes.
  const std::vector<std::string>& progress_warnings() const noexcept { return progress_warnings_; }
  /// How the processes of this node share memory.
  SharedMemory shared_memory() const noexcept { return lock_table_.way(); }

  /// Whether the segments made from now on are traced.
  bool is_traced() const noexcept { return tracing_ != nullptr; }

  /// Bytes of segments that this process holds now.
  index_t memory_in_use() const noexcept { return memory_in_use_; }
  /// What the memory limit leaves to this process.
  index_t memory_left() const noexcept;
  void account(index_t bytes) noexcept {
    memory_in_use_ += bytes;
    memory_peak_ = std::max(memory_peak_, memory_in_use_);
  }
  /// Counts what this process has reserved, for the memory limit: small segments have their slab's.
  void reserve(index_t bytes) noexcept { reserved_ += bytes; }
  index_t memory_peak() const noexcept { return memory_peak_; }
  void reset_memory_peak() noexcept { memory_peak_ = memory_in_use_; }
  /// A number for a new region of a group whose first member is this process. @local
  std::uint64_t next_region() noexcept { return ++regions_; }
  /// A packing buffer for data that MPI cannot take as it lies; used under the network lock. @local
  std::byte* scratch(index_t bytes);
  /// Completes this process's operations at their targets: all, or those on the segments of one group.
  /// @onesided
  void complete_all(const GroupState* group = nullptr);
  /// The same for all that this thread may have begun: a thread that may not call MPI has begun nothing between
  /// nodes. @onesided
  void complete_own();
  /// Whether operations may be under way to other nodes, or windows have to be synchronised. @local
  bool reaches_out() const noexcept { return registry_.has_windows() || progress_ != nullptr; }

 private:
  void begin(MPI_Comm parent, ProgressRanks ranks);
  void create_locks(GroupState& world);
  void start_agents(GroupState& world, ProgressRanks ranks);
  void choose_path();
  void watch();

  Environment environment_;
  Threads threads_;
  int node_size_limit_;
  bool crowded_ = false, finished_ = false;
  bool keeps_clock_ = false;
  MPI_Comm program_comm_ = MPI_COMM_NULL;  // the clocks follow the program's calls on it
  index_t memory_in_use_ = 0, memory_peak_ = 0, reserved_ = 0;
  std::uint64_t regions_ = 0;
  Outstanding outstanding_{threads_};
  Registry registry_;
  NodeMemory lock_table_;
  LockStripes locks_;
  mpi::Comm with_agents_;  // the world and the agents, if these have processes of their own
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<Watchdog> watchdog_;  // TESSERA_DEBUG=hang
  std::unique_ptr<Tracing> tracing_;    // TESSERA_TRACE
  std::string window_problem_, path_reason_;
  std::vector<std::string> progress_warnings_;
  PathChoice path_choice_;
  std::vector<std::byte> scratch_;
  // Destroyed first: their segments use all of the above.
  FormedGroups formed_groups_;
  Group world_;
};

}  // namespace tessera::detail
