// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "activity.hpp"

namespace tessera::detail {

struct GroupState;
class Progress;

/// One turn of a spinning wait. @local
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Sleeps while `word`, which processes of a node may share, has a value; at most some time, so that the caller
/// can look after other things. Not the private futex of std::atomic::wait: others may be in other processes.
/// @local
void sleep_while(std::uint32_t& word, std::uint32_t value, std::int64_t nanoseconds) noexcept;
/// Wakes one, or all, that sleep on the word. @local
void wake_one(std::uint32_t& word) noexcept;
void wake_all(std::uint32_t& word) noexcept;

/// Lets MPI get on with what others want of this process, if this thread may call it. @local
void keep_mpi_going(const GroupState& group);

/// How a wait goes on: spins first, then gives the processor away and keeps MPI going, so that it works with
/// more processes than cores, and cannot lock up a program whose own messages are still under way.
class Waiting {
 public:
  explicit Waiting(const GroupState& group) noexcept;
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  /// A turn. False when spinning is over, and the caller may want to sleep instead. @local
  bool turn();

 private:
  static constexpr int most_spins = 4000;  // some microseconds: longer than a barrier takes when all are there
  const GroupState& group_;
  int spins_left_;
  Progress* served_ = nullptr;  // whose agent this wait runs
  activity::Wait waits_{"a flag or a mutex"};
};

/// Whether the processes of `all` that share this machine cannot all run at once. @collective over all
bool is_crowded(MPI_Comm all);

}  // namespace tessera::detail
