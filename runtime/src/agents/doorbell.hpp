// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "node/mailbox.hpp"

namespace tessera::detail {

/// Wakes an agent that sleeps, by a one-byte datagram to a socket of its process. A lost datagram only costs
/// time, as an agent polls by itself every few milliseconds.
class Doorbell {
 public:
  /// Where a process is rung, and how its agent idles. Trivially copyable, so that it can be gathered.
  struct Address : Mailbox::Address {
    bool lingers = true;  // polls for a while after each request before it sleeps
    int core_count = 1;
    std::uint64_t cores = 0;  // see Cores
  };

  Doorbell();
  /// Its port is 0 if there is no socket. @local
  const Mailbox::Address& address() const noexcept { return mailbox_.address(); }
  /// Rings another process. @local
  void ring(const Address& other) const noexcept;
  /// Sleeps until it is rung or nudged, one of the descriptors is readable, or the time is over. At most 13
  /// descriptors are looked at. @local
  enum class Woken { by_bell, by_event, by_time };
  Woken wait(std::chrono::nanoseconds longest, std::span<const int> descriptors = {}) noexcept;
  /// Wakes the thread of this process that sleeps in wait(). @local
  void nudge() const noexcept;
  /// The same after some time, unless it is called off before. @local
  void nudge_after(std::chrono::nanoseconds time) const noexcept;
  void call_off() const noexcept { nudge_after(std::chrono::nanoseconds(0)); }
  /// Whether it was rung; forgets the ring. @local
  bool was_rung() noexcept;

 private:
  Mailbox mailbox_;
  Fd event_, timer_;
};

}  // namespace tessera::detail
