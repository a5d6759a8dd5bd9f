// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <list>
#include <memory>

#include "order/clock.hpp"
#include "order/shadows.hpp"

namespace tessera::detail::order {

/// Sends the clock ahead of a message of the program to that rank with that tag. @local
void send_clock(Shadow& shadow, int rank, int tag);

/// A receive of the program, and the clock that belongs to its message. The clock is received at once if the
/// source and the tag are given, as MPI then matches both in the same order. Otherwise the clock waits until
/// the message is known, and so do the clocks of later receives that could match the same message. A receive
/// that is cancelled leaves its clock to the next one of the same source and tag.
class Receive {
 public:
  /// Before the program's receive is posted. @local
  Receive(std::shared_ptr<Shadow> shadow, int source, int tag);
  ~Receive();
  Receive(const Receive&) = delete;
  Receive& operator=(const Receive&) = delete;

  /// The request of the program's receive.
  void set_request(MPI_Request request) noexcept { real_ = request; }
  /// Says which message has come. @local
  void arrived(const MPI_Status& status) noexcept;
  /// Takes in the clock of the message that has come, or drops the receive if it was cancelled.
  void finish();
  /// The program asks MPI to cancel the receive, which may be too late. @local
  void cancelling() noexcept { is_cancelling_ = true; }
  /// The program will not hear when its message comes. @local
  void freed();

 private:
  bool could_match(int source, int tag) const noexcept;
  void await_message() noexcept;
  void resolve();
  void post(int source, int tag);
  void give_up_clock();
  void leave_lists() noexcept;
  static void resolve_before(Shadow& shadow, const Receive* last, int source, int tag);
  static void drop_cancelled(Shadow& shadow, int source, int tag);
  static void settle_earlier(Shadow& shadow, int source, int tag);
  static std::list<ClockReceive>::iterator kept_of(Shadow& shadow, int source, int tag);
  friend void take_clock(const std::shared_ptr<Shadow>& shadow, int source, int tag);
  friend void peek_clock(Shadow& shadow, MPI_Comm comm, int source, int tag);

  std::shared_ptr<Shadow> shadow_;
  int source_, tag_;
  bool is_posted_ = false, has_arrived_ = false, is_cancelling_ = false, is_cancelled_ = false;
  MPI_Request real_ = MPI_REQUEST_NULL;
  ClockReceive clock_;
};

/// Takes in the clock of a message that a blocking call has received, or that a probe has matched.
void take_clock(const std::shared_ptr<Shadow>& shadow, int source, int tag);
/// Takes in the clock of a message that a probe has found, and that the program will receive later. Nothing if
/// another thread has received it meanwhile.
void peek_clock(Shadow& shadow, MPI_Comm comm, int source, int tag);

}  // namespace tessera::detail::order
