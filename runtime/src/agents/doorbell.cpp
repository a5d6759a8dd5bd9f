// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/doorbell.hpp"

#include <algorithm>
#include <iterator>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace tessera::detail {

Doorbell::Doorbell()
    : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

void Doorbell::ring(const Address& other) const noexcept {
  const char nothing = 0;
  mailbox_.send(other, {&nothing, 1});
}

Doorbell::Woken Doorbell::wait(std::chrono::nanoseconds longest, std::span<const int> descriptors) noexcept {
  pollfd fds[16] = {{event_.get(), POLLIN, 0}, {mailbox_.descriptor(), POLLIN, 0}, {timer_.get(), POLLIN, 0}};
  nfds_t polled = 3;
  for (const int descriptor : descriptors.first(std::min(descriptors.size(), std::size(fds) - polled)))
    fds[polled++] = {descriptor, POLLIN, 0};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec limit{seconds.count(), (longest - seconds).count()};
  if (ppoll(fds, polled, &limit, nullptr) <= 0) return Woken::by_time;
  if (((fds[0].revents | fds[1].revents | fds[2].revents) & POLLIN) == 0) return Woken::by_event;
  for (const pollfd& counter : {fds[0], fds[2]}) {
    if ((counter.revents & POLLIN) == 0) continue;
    std::uint64_t count;
    [[maybe_unused]] const auto forgotten = read(counter.fd, &count, sizeof count);
  }
  if ((fds[1].revents & POLLIN) != 0) was_rung();
  return Woken::by_bell;
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
  char nothing = 0;
  bool rung = false;
  while (mailbox_.receive({&nothing, 1}) > 0) rung = true;
  return rung;
}

}  // namespace tessera::detail
