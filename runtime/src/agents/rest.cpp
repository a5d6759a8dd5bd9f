// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/rest.hpp"

#include <algorithm>

namespace tessera::detail {

void Rest::worked() noexcept {
  if (woken_ == Doorbell::Woken::by_event) distrust_ = std::max(0, distrust_ - 1);
  if (woken_ == Doorbell::Woken::by_time) distrust_ = much_distrust;
  woken_ = Doorbell::Woken::by_bell;  // later work of this turn says nothing
  nap_ = shortest_nap;
  since_ = Clock::now();
}

bool Rest::lingers(bool is_under_way) const noexcept {
  return (!crowded_ || (is_under_way && !trusts_events())) && has_worked_lately();
}

void Rest::sleep(std::chrono::nanoseconds longest) noexcept {
  woken_ = Doorbell::Woken::by_bell;
  if (bell_.wait(longest) == Doorbell::Woken::by_bell) since_ = Clock::now();
}

void Rest::nap() noexcept {
  const bool watches = in_vain_ < most_in_vain, is_long = watches && trusts_events();
  const auto begin = Clock::now();
  woken_ = bell_.wait(is_long ? longest_trust : nap_, watches ? sets_.descriptors() : std::span<const int>());
  if (woken_ == Doorbell::Woken::by_bell) since_ = Clock::now();
  // What is found after a short nap may have come since, and says nothing of events.
  if (woken_ == Doorbell::Woken::by_time && !is_long) woken_ = Doorbell::Woken::by_bell;
  in_vain_ = woken_ == Doorbell::Woken::by_event && Clock::now() - begin < at_once ? in_vain_ + 1 : 0;
  if (!is_long) nap_ = std::min<std::chrono::nanoseconds>(2 * nap_, longest_nap);
}

}  // namespace tessera::detail
