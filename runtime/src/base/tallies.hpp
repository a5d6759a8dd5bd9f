// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <tessera/runtime/detail/tally.hpp>

#include "trace/event_recorder.hpp"

namespace tessera::detail {

/// The tallies of one segment: one for each thread and target with an operation.
class Tallies {
 public:
  /// The calling thread's tally of a target; made at the first call. @local
  TargetTally& of(std::uint64_t segment, int rank);
  Statistics statistics() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<int, std::thread::id>, TargetTally> tallies_;  // a map: they stay where they are
};

/// An operation that a trace keeps; without a segment, none.
struct TracedOperation {
  const trace::TracedSegment* segment = nullptr;
  // of an operation that is kept
  int rank;
  Path path;
  Operation operation;
  index_t bytes;

  void record(std::chrono::nanoseconds begin, std::int64_t duration) const noexcept;
};

/// Counts an operation, and times it if it is large or its turn has come, or if its segment is traced.
class Counted {
 public:
  static constexpr index_t always_timed = index_t{1} << 18;  // bytes
  Counted(const SegmentAccess& segment, Tallies& tallies, int rank, Path path, Operation operation,
          index_t bytes)
      : tally_(tallies.of(segment.number, rank)
                   .of[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)]) {
    weight_ = bytes >= always_timed || segment.traced != nullptr ? 1 : tally_.weight();
    tally_.add(static_cast<std::uint64_t>(bytes));
    if (segment.traced != nullptr && trace::recorder().is_turn()) [[unlikely]]
      traced_ = {segment.traced, rank, path, operation, bytes};
    if (weight_ != 0) begin_ = Clock::now();
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    if (weight_ == 0) return;
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
    tally_.add_time(static_cast<std::uint64_t>(elapsed) * weight_);
    if (traced_.segment != nullptr) [[unlikely]]
      traced_.record(begin_.time_since_epoch(), elapsed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Tally& tally_;
  std::uint64_t weight_;
  Clock::time_point begin_{};
  TracedOperation traced_;
};

/// Counts an operation without timing it. @local
inline void count_untimed(const SegmentAccess& segment, Tallies& tallies, int rank, Path path,
                          Operation operation, index_t bytes) {
  tallies.of(segment.number, rank)
      .of[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)]
      .add(static_cast<std::uint64_t>(bytes));
  if (segment.traced != nullptr && trace::recorder().is_turn()) [[unlikely]]
    TracedOperation{segment.traced, rank, path, operation, bytes}.record(std::chrono::nanoseconds(trace::now()),
                                                                         0);
}

}  // namespace tessera::detail
