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
  std::atomic<std::uint64_t> notices{0}, number{0};
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
  kept().number.fetch_add(1);
  kept().rank = static_cast<std::size_t>(rank);
  kept().clock.assign(2 * static_cast<std::size_t>(ranks), 0);
  kept().notices = 0;
  kept().clock[kept().rank] = 1;
  kept().own = 1;
  switches::clocks = true;
}

std::uint64_t clock_number() noexcept { return kept().number.load(); }

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

std::uint64_t next_notice() noexcept { return ++kept().notices; }

std::uint64_t tick() {
  const std::scoped_lock lock(kept().mutex);
  return kept().own = ++kept().clock[kept().rank];
}

VectorClock release_clock() { return release_clock_with(0); }

VectorClock release_clock_with(std::uint64_t notice) {
  const std::scoped_lock lock(kept().mutex);
  VectorClock sent = released_as != nullptr ? *released_as : kept().clock;
  sent[kept().rank] = kept().clock[kept().rank];
  std::uint64_t& newest = sent[sent.size() / 2 + kept().rank];
  newest = std::max(newest, notice);
  kept().own = ++kept().clock[kept().rank];
  return sent;
}

}  // namespace tessera::detail::order
