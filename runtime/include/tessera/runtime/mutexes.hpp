// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <tessera/runtime/scalars.hpp>

namespace tessera {

/// A set of mutexes hosted by one member of a group. Processes get a mutex in the order in which they asked for
/// it. A process that waits looks only at its own memory, without traffic (the lists of Mellor-Crummey and
/// Scott, ACM TOCS 9 (1991), section 2.4). Threads of one process queue in the process first, and enter the
/// queue of the processes one by one. Not recursive.
///
/// Every thread that takes several mutexes must take them in the same order. Do not use std::lock, or
/// std::scoped_lock of several: they try a mutex, and give back the ones they hold if that fails. The queue
/// hands these to the next process, so callers may go round for ever.
class Mutexes {
 public:
  /// @collective @throws as Scalars; UsageError if the host is not a member
  Mutexes(const Group& group, index_t count, int host = 0, std::string_view name = "mutexes");
  /// Frees the memory now; no process may hold a mutex or wait for one. @collective
  void close() { words_.close(); }

  const Group& group() const noexcept { return words_.group(); }
  index_t count() const noexcept { return count_; }
  int host() const noexcept { return host_; }

  /// Returns when this process holds mutex i. The writes of earlier holders before unlock() are then visible.
  /// @onesided @throws UsageError if there is no such mutex, or if the group spans nodes and MPI does not allow
  /// this thread to call it
  void lock(index_t i);
  /// Takes mutex i if no process holds it or waits for it. @onesided @throws as lock
  bool try_lock(index_t i);
  /// Completes all of this process's one-sided operations at their targets, then hands the mutex to the next in
  /// the queue. The thread that took the mutex must call it. A thread that may not call MPI completes its own
  /// operations only, which are on its node. @onesided
  /// @throws UsageError if this process does not hold it
  void unlock(index_t i);

  /// One mutex of the set, for std::scoped_lock and std::unique_lock: auto mutex = set[i]; std::scoped_lock
  /// lock(mutex);
  class Reference {
   public:
    void lock() const { set_->lock(index_); }
    bool try_lock() const { return set_->try_lock(index_); }
    void unlock() const { set_->unlock(index_); }

   private:
    friend class Mutexes;
    Reference(Mutexes& set, index_t index) noexcept : set_(&set), index_(index) {}
    Mutexes* set_;
    index_t index_;
  };
  Reference operator[](index_t i) noexcept { return {*this, i}; }

 private:
  enum Word : index_t { tail, next, granted, words };
  static index_t word(index_t i, Word which) noexcept { return i * words + which; }
  struct Local;
  struct Leaver;
  struct LocalDelete {
    void operator()(Local* locals) const noexcept;
  };
  Local& local(index_t i) const;
  void require_network() const;
  void acquire(index_t i);
  bool try_acquire(index_t i);
  void hand_on(index_t i);
  void note_held(index_t i) const;
  void note_use(index_t i) const;

  index_t count_;
  int host_;
  std::uint64_t number_ = 0;  // the same on all members; only while conflicts are looked for
  Scalars<std::int32_t> words_;
  std::unique_ptr<Local[], LocalDelete> locals_;  // the queues of this process's threads
};

}  // namespace tessera
