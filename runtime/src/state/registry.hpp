// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/statistics.hpp>

#include "trace/event_recorder.hpp"

namespace tessera::detail {

class GroupState;
class Region;
class SegmentState;

/// The memory that this process shares, and the segments in it. Any thread may call. All @local.
class Registry {
 public:
  void add(const Region& region);
  void remove(const Region& region) noexcept;
  void add(SegmentState& segment);
  /// Removes a segment: keeps its statistics, and returns its parts.
  std::vector<SegmentState*> remove(SegmentState& segment) noexcept;

  /// The parts of a segment, and the parts of these.
  std::vector<SegmentState*> parts_of(const SegmentState& whole) const;
  /// Where they are, by their offsets.
  std::vector<Segment::PartRange> ranges_of_parts(const SegmentState& whole) const;
  std::optional<Location> locate(const void* pointer) const;
  /// Completes the operations on all segments, or on those of one group. @onesided
  void complete_all(const GroupState* group) const;
  bool has_windows() const noexcept { return windows_.load(std::memory_order_relaxed) > 0; }
  /// The sum over all segments, also those already released.
  Statistics statistics() const;
  /// Adds the operations on the segments that are traced.
  void add_traced(std::map<std::uint32_t, trace::ArraySum>& sums) const;
  /// How many one-sided operations this process has made; nothing while another thread holds the registry's
  /// lock.
  std::optional<std::uint64_t> operations_so_far() const;

 private:
  struct Residents {
    const Region* region;
    std::map<index_t, SegmentState*> segments;  // by their offset in each slice
    std::vector<SegmentState*> parts;           // of these
  };
  template <class F>
  void for_each_segment(F&& f) const;
  Residents& residents_of(const SegmentState& segment);
  std::vector<SegmentState*> find_parts(const SegmentState& whole) const;

  mutable std::mutex mutex_;
  std::map<const std::byte*, Residents> regions_;  // by base address
  std::atomic<int> windows_{0};                    // regions with a window
  Statistics closed_;                              // of released segments
};

}  // namespace tessera::detail
