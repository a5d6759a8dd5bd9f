// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "doorbell.hpp"

#include <functional>
#include <string>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "format.hpp"

namespace tessera::detail {
namespace {

// A machine is told by its network namespace and host name: containers on one host may have the same of either.
std::uint64_t machine_number() {
  struct stat info {};
  stat("/proc/self/ns/net", &info);
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::hash<std::string>()(formatted("{} {}", name, info.st_ino)) | 1;
}

void add_networks(Doorbell::Address& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* one = all; one != nullptr && address.networks < Doorbell::Address::most;
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

// The address of the other on a network that both are on, else its first.
std::uint32_t reachable(const Doorbell::Address& from, const Doorbell::Address& to) noexcept {
  if (from.machine == to.machine) return htonl(INADDR_LOOPBACK);
  for (std::size_t t = 0; t < to.networks; ++t) {
    for (std::size_t f = 0; f < from.networks; ++f) {
      if ((to.address[t] & to.mask[t]) == (from.address[f] & from.mask[f])) return to.address[t];
    }
  }
  return to.networks > 0 ? to.address[0] : 0;
}

}  // namespace

Doorbell::Doorbell()
    : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
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

void Doorbell::ring(const Address& other) const noexcept {
  if (!socket_ || other.port == 0) return;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = other.port;
  to.sin_addr.s_addr = reachable(address_, other);
  const char nothing = 0;
  sendto(socket_.get(), &nothing, 1, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
         sizeof to);
}

bool Doorbell::wait(std::chrono::nanoseconds longest) noexcept {
  pollfd fds[3] = {{event_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec limit{seconds.count(), (longest - seconds).count()};
  if (ppoll(fds, 3, &limit, nullptr) <= 0) return false;
  for (const pollfd& counter : {fds[0], fds[2]}) {
    if ((counter.revents & POLLIN) == 0) continue;
    std::uint64_t count;
    [[maybe_unused]] const auto forgotten = read(counter.fd, &count, sizeof count);
  }
  if ((fds[1].revents & POLLIN) != 0) was_rung();
  return true;
}

void Doorbell::nudge() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(event_.get(), &one, sizeof one);
}

void Doorbell::nudge_after(std::chrono::nanoseconds time) const noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const itimerspec once{{0, 0}, {seconds.count(), (time - seconds).count()}};
  timerfd_settime(timer_.get(), 0, &once, nullptr);
}

bool Doorbell::was_rung() noexcept {
  char bytes[64];
  bool rung = false;
  while (recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) rung = true;
  return rung;
}

}  // namespace tessera::detail
