// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include <tessera/runtime/detail/kept_memory.hpp>

#include "agents/buffers.hpp"
#include "agents/exposed_regions.hpp"
#include "agents/messages.hpp"
#include "kernels/lock_stripes.hpp"
#include "node/node_memory.hpp"

namespace tessera::detail {

/// Memory that an agent in a process of its own has to map.
struct Attachment {
  FileAddress file;
  index_t bytes = 0;
  std::uint64_t salt = 0;
};

/// Carries out the requests of other processes on the memory of its node, under the locks that all processes of
/// the node take. It never blocks: step() makes progress, and any thread may call it, one at a time.
///
/// Requests of one process are done in the order of sending wherever that makes a difference. If two touch the
/// same bytes of a region, the later one waits, unless both read or both add. The data of long gets leaves in
/// the order of the gets, unless a much shorter one follows.
class AgentServer {
 public:
  AgentServer(const AgentComms& comms, const LockStripes& locks, ExposedRegions& regions);
  ~AgentServer();
  AgentServer(const AgentServer&) = delete;
  AgentServer& operator=(const AgentServer&) = delete;

  /// Takes new messages and advances the requests under way. Returns whether there was anything to do. @local
  bool step();
  /// Whether requests or answers are still under way. @local
  bool is_busy() const noexcept { return !tasks_.empty() || !answers_.empty(); }
  /// Whether more is under way than puts with a notification, whose flag this process waits for. @local
  bool is_needed() const noexcept;
  /// Whether long data with a notification is coming in. @local
  bool notifies_soon() const noexcept;
  /// When a message last came from a process; the epoch if none came. @local
  std::chrono::steady_clock::time_point heard(int source) const noexcept {
    return heard_[static_cast<std::size_t>(source)].load(std::memory_order_relaxed);
  }
  /// When data of a long transfer of a process last moved here; the epoch if none has. @local
  std::chrono::steady_clock::time_point moved(int source) const noexcept {
    return moved_[static_cast<std::size_t>(source)].load(std::memory_order_relaxed);
  }
  /// A thread calls this when it has heard from another process. Then all that was done here before an answer
  /// was sent is done for this thread, too. The messages order it already, but through other processes, where
  /// ThreadSanitizer does not look. @local
  void see_answered() const noexcept { static_cast<void>(answered_.load(std::memory_order_acquire)); }
  /// How many processes have said that they leave. @local
  int left() const noexcept { return left_; }

 private:
  struct Task;
  struct Incoming {
    MPI_Request request = MPI_REQUEST_NULL;
    std::byte* data = nullptr;
  };
  struct SentAnswer {
    MPI_Request request = MPI_REQUEST_NULL;
    KeptVector<std::byte> data;
  };
  static constexpr std::size_t max_incoming = 32;

  void post(Incoming& slot);
  void hear(int source) noexcept {
    heard_[static_cast<std::size_t>(source)].store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
  }
  void take(const std::byte* message, index_t bytes, int source);
  void take(Task&& task, const std::byte* data);
  void place(Task& task) const;
  bool must_wait(const Task& task) const;
  static bool comes_behind(const Task& task, const Task& earlier);
  bool advance(Task& task);
  bool receive(Task& task);
  /// Allows the parts of a write that this agent waits for now.
  void grant(Task& task);
  bool send(Task& task);
  void do_at_once(Task& task, const std::byte* data);
  std::array<std::byte, 16> change(const Task& task, std::byte* where) const;
  bool attach(const Header& header, const std::byte* data);
  void run(const Task& task, const std::byte* operations);
  void answer(const Task& task, std::int32_t tag, KeptVector<std::byte>&& data);
  void answer(const Task& task, KeptVector<std::byte>&& data);
  void answer(const Task& task, const void* data, std::size_t bytes);
  void finish(const Task& task);
  Striped stripes(const Exposed& memory) const noexcept { return {locks_, memory.base, memory.salt}; }

  const AgentComms& comms_;
  LockStripes locks_;
  ExposedRegions& regions_;
  std::unordered_map<std::uint64_t, NodeMemory> attached_;  // by region, in rank mode only; 0: the locks
  std::unique_ptr<std::byte[]> slots_;
  std::array<Incoming, max_incoming> incoming_;
  std::size_t next_ = 0;                     // MPI matches messages to slots in the order of posting
  std::deque<std::unique_ptr<Task>> tasks_;  // in the order of arrival
  std::vector<SentAnswer> answers_;
  Buffers buffers_{8, part_bytes};
  // Of parts that MPI sends without asking. What is read leaves them at once; what is written may be late.
  Buffers read_buffers_{32, mpi::eager_bytes}, written_buffers_{64, mpi::eager_bytes};
  int left_ = 0;
  std::vector<std::atomic<std::chrono::steady_clock::time_point>> heard_, moved_;  // by process
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace tessera::detail
