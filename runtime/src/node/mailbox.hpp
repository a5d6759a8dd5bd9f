// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "node/node_memory.hpp"

namespace tessera::detail {

/// Sends datagrams between processes without MPI. A datagram may get lost. Each begins with a number that only
/// processes with the receiver's Address know. The kernel drops what strangers send, so it wakes nobody.
class Mailbox {
 public:
  /// Where a process is reached: its addresses on its host's networks, and its port. Trivially copyable, so
  /// that it can be gathered.
  struct Address {
    static constexpr std::size_t most = 6;
    std::uint64_t machine = 0;  // the same for processes that reach each other by the loopback
    std::uint16_t port = 0;     // 0: cannot be reached
    std::uint16_t networks = 0;
    std::uint64_t secret = 0;  // drawn by the process: what it receives must begin with it
    std::array<std::uint32_t, most> address{}, mask{};
  };

  /// Opens the socket. If that fails, address().port is 0. @local
  Mailbox();
  const Address& address() const noexcept { return address_; }
  /// The descriptor to poll. @local
  int descriptor() const noexcept { return socket_.get(); }
  /// @local
  void send(const Address& other, std::span<const char> data) const noexcept;
  /// Receives the next datagram, cut to the room; returns its bytes, negative if there is none. Those that do
  /// not begin with the secret are left out. @local
  std::ptrdiff_t receive(std::span<char> room) const noexcept;

 private:
  Fd socket_;
  Address address_;
};

}  // namespace tessera::detail
