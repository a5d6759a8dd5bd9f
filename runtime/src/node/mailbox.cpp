// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/mailbox.hpp"

#include <functional>
#include <string>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.hpp"

namespace tessera::detail {
namespace {

// A machine is identified by its network namespace and host name: containers on one host may share either of
// them.
std::uint64_t machine_number() {
  struct stat info {};
  stat("/proc/self/ns/net", &info);
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::hash<std::string>()(formatted("{} {}", name, info.st_ino)) | 1;
}

void add_networks(Mailbox::Address& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* one = all; one != nullptr && address.networks < Mailbox::Address::most;
       one = one->ifa_next) {
    const bool usable = one->ifa_addr != nullptr && one->ifa_netmask != nullptr &&
                        one->ifa_addr->sa_family == AF_INET && (one->ifa_flags & IFF_UP) != 0 &&
                        (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable) continue;
    address.address[address.networks] = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr;
    address.mask[address.networks] = reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr.s_addr;
    ++address.networks;
  }
  freeifaddrs(all);
}

// The address of `to` on a network that both share, else its first address.
std::uint32_t reachable(const Mailbox::Address& from, const Mailbox::Address& to) noexcept {
  if (from.machine == to.machine) return htonl(INADDR_LOOPBACK);
  for (std::size_t t = 0; t < to.networks; ++t) {
    for (std::size_t f = 0; f < from.networks; ++f) {
      if ((to.address[t] & to.mask[t]) == (from.address[f] & from.mask[f])) return to.address[t];
    }
  }
  return to.networks > 0 ? to.address[0] : 0;
}

}  // namespace

Mailbox::Mailbox() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  address_.machine = machine_number();
  add_networks(address_);
  if (!socket_) return;
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof any;
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
      getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&any), &length) == 0)
    address_.port = any.sin_port;
}

void Mailbox::send(const Address& other, std::span<const char> data) const noexcept {
  if (!socket_ || other.port == 0) return;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = other.port;
  to.sin_addr.s_addr = reachable(address_, other);
  sendto(socket_.get(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

std::ptrdiff_t Mailbox::receive(std::span<char> room) const noexcept {
  return recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
}

}  // namespace tessera::detail
