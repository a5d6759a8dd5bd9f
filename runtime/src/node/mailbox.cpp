// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/mailbox.hpp"

#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format.hpp"

namespace tessera::detail {
namespace {

// A machine is identified by its network namespace, its host name and its start: containers on one host may
// share any of the former, and hosts from one image have both alike.
std::uint64_t machine_number() {
  struct stat info {};
  stat("/proc/self/ns/net", &info);
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string start;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), start);
  return std::hash<std::string>()(formatted("{} {} {}", name, info.st_ino, start)) | 1;
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

// Lets the kernel drop all datagrams but those that begin with the secret. Without this, they are dropped when
// they are received.
void drop_strangers(const Fd& socket, std::uint64_t secret) noexcept {
  std::array<std::uint32_t, 2> halves;  // in the filter's order of bytes
  std::memcpy(halves.data(), &secret, sizeof secret);
  constexpr std::uint32_t payload = 8;  // after the header of UDP
  std::array<sock_filter, 6> program{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, payload),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(halves[0]), 0, 3),
                                      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, payload + 4),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(halves[1]), 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, 0xffffffffU), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter{program.size(), program.data()};
  setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

// A message of two parts.
template <class Part>
msghdr message_of(std::array<iovec, 2>& parts, std::uint64_t& secret, std::span<Part> data) noexcept {
  parts = {{{&secret, sizeof secret}, {const_cast<char*>(data.data()), data.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return message;
}

}  // namespace

Mailbox::Mailbox() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  address_.machine = machine_number();
  add_networks(address_);
  auto& secret = address_.secret;
  if (!socket_ || getrandom(&secret, sizeof secret, 0) != sizeof secret) return;
  drop_strangers(socket_, secret);
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
  std::uint64_t secret = other.secret;
  std::array<iovec, 2> parts;
  msghdr message = message_of(parts, secret, data);
  message.msg_name = &to;
  message.msg_namelen = sizeof to;
  sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::ptrdiff_t Mailbox::receive(std::span<char> room) const noexcept {
  // Strangers may have sent datagrams before the filter was there, or if there is none. A flood must not keep
  // the caller here.
  constexpr int most_strangers = 64;
  std::uint64_t secret = 0;
  std::array<iovec, 2> parts;
  for (int i = 0; i < most_strangers; ++i) {
    msghdr message = message_of(parts, secret, room);
    const std::ptrdiff_t bytes = recvmsg(socket_.get(), &message, MSG_DONTWAIT);
    if (bytes < 0) return bytes;
    constexpr std::ptrdiff_t of_secret = sizeof secret;
    if (bytes >= of_secret && secret == address_.secret) return bytes - of_secret;
  }
  return -1;
}

}  // namespace tessera::detail
