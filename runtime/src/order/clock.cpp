// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/clock.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace tessera::detail::order {
namespace {

struct Kept {
  std::mutex mutex;
  VectorClock clock;
  std::size_t rank = 0;
  std::atomic<std::uint64_t> version{0}, own{0};  // own: a copy of this process's component
};

// Threads may still read it while the process ends.
Kept& kept() {
  static auto* one = new Kept;
  return *one;
}

thread_local const VectorClock* released_as = nullptr;

}  // namespace

const VectorClock* release_as(const VectorClock* clock) noexcept { return std::exchange(released_as, clock); }

void start_clock(int ranks, int rank) {
  const std::scoped_lock lock(kept().mutex);
  kept().version.fetch_add(1);
  kept().rank = static_cast<std::size_t>(rank);
  kept().clock.assign(static_cast<std::size_t>(ranks), 0);
  kept().clock[kept().rank] = 1;
  kept().own = 1;
  switches::clocks = true;
}

void stop_clock() noexcept { switches::clocks = false; }

VectorClock clock() {
  const std::scoped_lock lock(kept().mutex);
  return kept().clock;
}

std::uint64_t stamp() noexcept { return kept().own.load(); }

std::uint64_t clock_version() noexcept { return kept().version.load(); }

void merge_clock(std::span<const std::uint64_t> other) {
  const std::scoped_lock lock(kept().mutex);
  VectorClock& own = kept().clock;
  const std::size_t components = std::min(own.size(), other.size());
  bool has_changed = false;
  for (std::size_t r = 0; r < components; ++r) {
    has_changed = has_changed || other[r] > own[r];
    own[r] = std::max(own[r], other[r]);
  }
  if (kept().rank < own.size()) kept().own = own[kept().rank];
  if (has_changed) kept().version.fetch_add(1);
}

std::uint64_t tick() {
  const std::scoped_lock lock(kept().mutex);
  return kept().own = ++kept().clock[kept().rank];
}

VectorClock release_clock() {
  const std::scoped_lock lock(kept().mutex);
  VectorClock sent = released_as != nullptr ? *released_as : kept().clock;
  sent[kept().rank] = kept().clock[kept().rank];
  kept().own = ++kept().clock[kept().rank];
  return sent;
}

}  // namespace tessera::detail::order
