// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "node_memory.hpp"

namespace tessera::detail {

/// What wakes an agent that sleeps: a datagram of one byte to a socket of its process. A datagram that is lost
/// costs time only, for an agent looks by itself every few milliseconds.
class Doorbell {
 public:
  /// Where a process is rung: its addresses on its host's networks, and its port. Trivially copyable, to be
  /// gathered.
  struct Address {
    static constexpr std::size_t most = 6;
    std::uint64_t machine = 0;  // the same for processes that reach each other by the loopback
    std::uint16_t port = 0;     // 0: cannot be rung
    std::uint16_t networks = 0;
    bool lingers = true;  // looks for a while after each request before it sleeps
    int core_count = 1;
    std::uint64_t cores = 0;  // see Cores
    std::array<std::uint32_t, most> address{}, mask{};
  };

  /// Opens the socket; without one address().port is 0. @local
  Doorbell();
  const Address& address() const noexcept { return address_; }
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
  Fd socket_, event_, timer_;
  Address address_;
};

}  // namespace tessera::detail
