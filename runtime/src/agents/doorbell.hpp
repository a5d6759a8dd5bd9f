// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <cstdint>

#include "node/mailbox.hpp"

namespace tessera::detail {

/// What wakes an agent that sleeps: a datagram of one byte to a socket of its process. A datagram that is lost
/// costs time only, for an agent looks by itself every few milliseconds.
class Doorbell {
 public:
  /// Where a process is rung, and what its agent does when it is idle. Trivially copyable, to be gathered.
  struct Address : Mailbox::Address {
    bool lingers = true;  // looks for a while after each request before it sleeps
    int core_count = 1;
    std::uint64_t cores = 0;  // see Cores
  };

  Doorbell();
  /// Its port is 0 where there is no socket. @local
  const Mailbox::Address& address() const noexcept { return mailbox_.address(); }
  /// Rings another process. @local
  void ring(const Address& other) const noexcept;
  /// Sleeps until somebody rings or nudges, or the time is over; whether somebody did. @local
  bool wait(std::chrono::nanoseconds longest) noexcept;
  /// Wakes who waits in this process. @local
  void nudge() const noexcept;
  /// The same after some time, unless it is called off before. @local
  void nudge_after(std::chrono::nanoseconds time) const noexcept;
  void call_off() const noexcept { nudge_after(std::chrono::nanoseconds(0)); }
  /// Whether somebody has rung; forgets it. @local
  bool was_rung() noexcept;

 private:
  Mailbox mailbox_;
  Fd event_, timer_;
};

}  // namespace tessera::detail
