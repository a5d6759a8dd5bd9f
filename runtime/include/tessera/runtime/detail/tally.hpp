// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <tessera/runtime/statistics.hpp>

namespace tessera::detail {

/// Operations of one thread, of one kind, by one path, on one target. Only that thread writes; others may read.
/// A tally lies within one cache line: an atomic instruction waits for earlier stores, twice as long if they go
/// to two lines.
class alignas(32) Tally {
 public:
  void add(std::uint64_t bytes) noexcept {
    increase(operations_, 1);
    increase(bytes_, bytes);
  }
  void add_time(std::uint64_t nanoseconds) noexcept { increase(nanoseconds_, nanoseconds); }
  /// One in this many operations is timed: reading the clock twice takes longer than most operations.
  static constexpr std::uint64_t timed_every = 256;
  /// Whether the next operation is to be timed.
  bool is_turn() const noexcept { return operations_.load(std::memory_order_relaxed) % timed_every == 0; }
  /// For how many operations the time of the next one counts; 0: it is not to be timed. Of the first ones those
  /// after 0, 1, 2, 4, 8, ... others are timed, so that a slow first one does not count for many.
  std::uint64_t weight() const noexcept {
    const std::uint64_t before = operations_.load(std::memory_order_relaxed);
    if (before == 0) return 1;
    if (before >= timed_every) return is_turn() ? timed_every : 0;
    return (before & (before - 1)) == 0 ? before : 0;
  }
  Traffic traffic() const noexcept {
    return {operations_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed),
            1e-9 * static_cast<double>(nanoseconds_.load(std::memory_order_relaxed))};
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  // There is one writer, so a load and a store suffice; a locked instruction takes ten times as long.
  static void increase(Counter& counter, std::uint64_t by) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  Counter operations_{0}, bytes_{0}, nanoseconds_{0};
};

/// All of one thread's operations on one target.
struct TargetTally {
  std::array<std::array<Tally, operation_count>, path_count> of;
};

/// The tallies of the targets that this thread used last. The cache is direct-mapped, so that counting costs a
/// comparison.
struct TallyCache {
  struct Entry {
    std::uint64_t segment = 0;  // numbers are never reused, so an entry cannot be stale
    int rank = -1;
    TargetTally* tally = nullptr;
  };
  static constexpr std::size_t size = 16;
  std::array<Entry, size> entries;
  Entry& at(std::uint64_t segment, int rank) noexcept {
    return entries[(segment + static_cast<std::uint64_t>(rank)) % size];
  }
};
extern constinit thread_local TallyCache tally_cache __attribute__((tls_model("initial-exec")));

namespace trace {
struct TracedSegment;
}

/// The part of a segment that inline code needs to reach its memory without a call. The library keeps the rest.
struct SegmentAccess {
  std::uint64_t number = 0;   // of the segment in this process, from 1
  int first_direct = 0;       // the first member reached by loads and stores, if their ranks are consecutive
  int direct_ranks = 0;       // how many such members; 0 once the segment is closed
  index_t stride = 0;         // bytes from one member's slice to the next
  index_t slice = 0;          // bytes of each slice
  std::byte* base = nullptr;  // of the first slice on this node
  const trace::TracedSegment* traced = nullptr;  // if its operations are recorded
  // If accesses are checked for conflicts: a number that is the same on all members. Then direct_ranks is 0, so
  // that no access is made inline.
  std::uint64_t checked = 0;

  /// The address, if it can be reached directly; else null. @local
  std::byte* reach(int rank, index_t offset, index_t bytes) const noexcept {
    // Unsigned, so that any value of `rank` is safe.
    const unsigned place = static_cast<unsigned>(rank) - static_cast<unsigned>(first_direct);
    if (place >= static_cast<unsigned>(direct_ranks)) return nullptr;
    if (offset < 0 || offset > slice - bytes) return nullptr;
    return base + static_cast<index_t>(place) * stride + offset;
  }
  /// The same, counted as an operation. It also returns null, and does not count, if the target is not in the
  /// cache or if the next operation is to be timed. @local
  std::byte* count(int rank, index_t offset, index_t bytes, Operation operation) const noexcept {
    std::byte* place = reach(rank, offset, bytes);
    if (place == nullptr) return nullptr;
    const TallyCache::Entry& entry = tally_cache.at(number, rank);
    if (entry.segment != number || entry.rank != rank) return nullptr;
    Tally& tally = entry.tally->of[0][static_cast<std::size_t>(operation)];
    if (tally.is_turn()) return nullptr;
    tally.add(static_cast<std::uint64_t>(bytes));
    return place;
  }
};

}  // namespace tessera::detail
