// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include <mpi.h>

#include "order/clock_receive.hpp"

namespace tessera::detail::order {

class Receive;

/// Goes with a communicator whose members all keep clocks: another communicator of the same members, for the
/// clocks of the program's messages. Its messages have the ranks and tags of the program's, and match alike.
class Shadow {
 public:
  /// @collective over comm
  explicit Shadow(MPI_Comm comm);
  /// Takes over a communicator that was made for this. @local
  Shadow(MPI_Comm made, int rank, int size) noexcept : comm_(made), rank_(rank), size_(size) {}
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  std::uint64_t clock_number() const noexcept { return clock_number_; }
  bool has_rank(int rank) const noexcept { return rank >= 0 && rank < size_; }

  /// Receives of the program that have not completed, in the order of the program; see Receive. Open ones may
  /// match messages of several sources or tags, and have no clock yet. Posted ones have one.
  std::recursive_mutex mutex;
  std::list<Receive*> open, posted;
  /// Clocks that have come before the receives that they belong to, which are the next: the message was probed,
  /// or an earlier receive was cancelled.
  std::list<ClockReceive> kept;
  /// Clocks of receives that the program has freed.
  std::list<ClockReceive> unwanted;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t clock_number_ = order::clock_number();
};

/// Gives a communicator a shadow, until the communicator is freed. @collective over comm
void make_shadow(MPI_Comm comm);
/// Gives a new communicator a shadow if `parent` has one. So all members of the new one have a clock.
/// @collective over made, which may be null
void inherit_shadow(MPI_Comm parent, MPI_Comm made);
/// Gives it one that exists. @local
void set_shadow(MPI_Comm comm, std::shared_ptr<Shadow> shadow);
/// Takes it away. @local
void remove_shadow(MPI_Comm comm) noexcept;
/// The shadow of a communicator; null if it has none, or only one member. If there is none for several members,
/// the call is noted as unseen order. @local
std::shared_ptr<Shadow> shadow_of(MPI_Comm comm, const char* call);

/// Keeps the shadow of a window's communicator for the fences of the window. @collective over comm
void make_window_shadow(MPI_Win win, MPI_Comm comm);
std::shared_ptr<Shadow> window_shadow(MPI_Win win, const char* call);

}  // namespace tessera::detail::order
