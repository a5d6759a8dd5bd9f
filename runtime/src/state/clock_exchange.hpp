// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "mpi/mpi.hpp"
#include "order/clock.hpp"

namespace tessera::detail {

class Threads;

/// Carries the clocks of a group's members with its own synchronisation, on a communicator of its own. Does
/// nothing unless it is open.
class ClockExchange {
 public:
  /// @collective over comm
  void open(MPI_Comm comm);
  /// @collective over the group
  void close() noexcept;
  bool is_open() const noexcept { return static_cast<bool>(comm_); }

  /// Everybody gets the maximum of all. @collective
  void everybody();
  /// Everybody gets the clock of the root. @collective
  void from(int root);
  /// The root gets the maximum of all. @collective
  void to(int root);

  /// A number for the next set of flags, the same on all members. @local
  std::uint64_t next_flags() noexcept { return ++flags_; }
  /// Sends the clock to a member, for a flag that is about to be raised. @onesided
  /// @throws UsageError if this thread may not call MPI
  void notify(const Threads& threads, int rank, std::uint64_t flags, index_t index, std::uint64_t notice);
  /// Whether the clocks of so many notifications of an own flag have come; if so, it takes them in. @local
  bool take(const Threads& threads, std::uint64_t flags, index_t index, std::int64_t notifications);

 private:
  using FlagKey = std::pair<std::uint64_t, index_t>;
  void receive_all();

  mpi::Comm comm_;
  std::uint64_t flags_ = 0;
  std::mutex mutex_;  // guards what follows
  std::map<FlagKey, std::deque<order::VectorClock>> arrived_;
  std::vector<std::uint64_t> incoming_;
  MPI_Request receiving_ = MPI_REQUEST_NULL;
  std::deque<std::pair<std::vector<std::uint64_t>, MPI_Request>> outgoing_;
};

}  // namespace tessera::detail
