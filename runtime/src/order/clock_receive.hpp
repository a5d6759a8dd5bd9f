// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mpi.h>

#include "order/clock.hpp"

namespace tessera::detail::order {

/// The receive of one clock, from a given rank with a given tag.
class ClockReceive {
 public:
  ClockReceive() = default;
  /// Posts it. @local
  ClockReceive(MPI_Comm comm, int source, int tag);
  /// Of a message that was matched. @local
  ClockReceive(MPI_Message* message, int source, int tag);
  ClockReceive(ClockReceive&& other) noexcept;
  ClockReceive& operator=(ClockReceive&& other) noexcept;
  ClockReceive(const ClockReceive&) = delete;
  ClockReceive& operator=(const ClockReceive&) = delete;
  ~ClockReceive();

  bool is_of(int source, int tag) const noexcept { return source_ == source && tag_ == tag; }
  int source() const noexcept { return source_; }
  int tag() const noexcept { return tag_; }

  /// Waits for the clock, and takes it in. It stays the clock of a message that is still to be received.
  void peek();
  /// The same at the end of its message.
  void finish();
  /// Returns whether it was cancelled. If it was not, the clock has come, or will.
  bool cancel() noexcept;

 private:
  int source_ = MPI_PROC_NULL, tag_ = 0;
  VectorClock clock_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace tessera::detail::order
