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

/// Does at the target what others ask for, on memory of its node, under the locks that the processes of the
/// node take. It never blocks: it is moved on by step(), which anybody may call, one at a time.
///
/// What one process asks of it is done in the order of asking wherever that makes a difference: requests that
/// touch the same bytes of a region wait for each other, unless both read, or both add.
class AgentServer {
 public:
  AgentServer(const AgentComms& comms, const LockStripes& locks, ExposedRegions& directory);
  ~AgentServer();
  AgentServer(const AgentServer&) = delete;
  AgentServer& operator=(const AgentServer&) = delete;

  /// Takes what has come and moves on what is under way. Whether there was anything to do. @local
  bool step();
  /// Whether data is still on its way. @local
  bool is_busy() const noexcept { return !tasks_.empty() || !answers_.empty(); }
  /// When something last came from a process; the epoch if nothing did. @local
  std::chrono::steady_clock::time_point heard(int source) const noexcept {
    return heard_[static_cast<std::size_t>(source)].load(std::memory_order_relaxed);
  }
  /// To be called when a thread has heard from another process: what was done here before an answer is then
  /// done for it too. The messages order it already, but between processes, where ThreadSanitizer does not
  /// look. @local
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
    std::unique_ptr<std::byte[]> data;
  };
  static constexpr std::size_t most_incoming = 32;
  static constexpr std::size_t most_buffers = 8;

  void post(Incoming& slot);
  void hear(int source) noexcept {
    heard_[static_cast<std::size_t>(source)].store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
  }
  void take(const std::byte* message, index_t bytes, int source);
  void take(Task&& task, const std::byte* data);
  void place(Task& task) const;
  bool must_wait(const Task& task) const;
  bool advance(Task& task);
  bool receive(Task& task);
  bool send(Task& task);
  void do_at_once(Task& task, const std::byte* data);
  std::array<std::byte, 16> change(const Task& task, std::byte* where) const;
  bool attach(const Header& header, const std::byte* data);
  void run(const Task& task, const std::byte* program);
  void answer(const Task& task, std::unique_ptr<std::byte[]> data, index_t bytes);
  void answer(const Task& task, const void* data, std::size_t bytes);
  void finish(const Task& task);
  Striped stripes(const Exposed& memory) const noexcept { return {locks_, memory.base, memory.salt}; }

  const AgentComms& comms_;
  LockStripes locks_;
  ExposedRegions& directory_;
  std::unordered_map<std::uint64_t, NodeMemory> attached_;  // by an agent in a process of its own; 0: the locks
  std::unique_ptr<std::byte[]> slots_;
  std::array<Incoming, most_incoming> incoming_;
  std::size_t next_ = 0;                     // messages are matched in the order in which the slots were posted
  std::deque<std::unique_ptr<Task>> tasks_;  // in the order of their coming
  std::vector<SentAnswer> answers_;
  Buffers buffers_{most_buffers};
  int left_ = 0;
  std::vector<std::atomic<std::chrono::steady_clock::time_point>> heard_;  // by process
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace tessera::detail
