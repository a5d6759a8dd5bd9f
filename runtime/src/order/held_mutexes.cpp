// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/held_mutexes.hpp"

#include <algorithm>
#include <atomic>

namespace tessera::detail::order {
namespace {

thread_local std::vector<HeldMutex> held;

}  // namespace

const std::vector<HeldMutex>& held_mutexes() noexcept { return held; }

std::uint64_t next_mutex_set(int world_rank) noexcept {
  static std::atomic<std::uint64_t> last{0};
  return (static_cast<std::uint64_t>(world_rank) << 32) + ++last;
}

void hold_mutex(const HeldMutex& mutex) {
  held.insert(std::upper_bound(held.begin(), held.end(), mutex), mutex);
}

void release_mutex(const HeldMutex& mutex) noexcept {
  const auto found = std::find(held.begin(), held.end(), mutex);
  if (found != held.end()) held.erase(found);
}

}  // namespace tessera::detail::order
