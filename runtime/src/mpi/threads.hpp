// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mutex>
#include <thread>

#include <tessera/runtime/runtime.hpp>

namespace tessera::detail {

/// Which threads of this process may call MPI.
class Threads {
 public:
  /// The calling thread is MPI's main thread.
  explicit Threads(ThreadLevel level) noexcept : level_(level), main_(std::this_thread::get_id()) {}
  ThreadLevel level() const noexcept { return level_; }
  /// Whether this thread may call MPI while others are in it. @local
  bool may_call_mpi() const noexcept {
    return level_ == ThreadLevel::multiple || std::this_thread::get_id() == main_;
  }
  /// Whether this thread may call MPI between nodes, where threads can take turns under the network lock.
  /// @local
  bool may_take_turns() const noexcept { return level_ == ThreadLevel::serialized || may_call_mpi(); }
  /// @throws UsageError if it may not. @local
  void require_turns() const;

 private:
  ThreadLevel level_;
  std::thread::id main_;
};

/// The network lock: held by the thread that works between the nodes.
class NetworkLock {
 public:
  /// @throws UsageError if MPI does not allow this thread to call it.
  explicit NetworkLock(const Threads& threads);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace tessera::detail
