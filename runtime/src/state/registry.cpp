// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/registry.hpp"

#include <algorithm>
#include <iterator>

#include <tessera/runtime/segment.hpp>

#include "state/group_state.hpp"
#include "state/region.hpp"
#include "state/segment_state.hpp"

namespace tessera::detail {

template <class F>
void Registry::for_each_segment(F&& f) const {
  for (const auto& [base, residents] : regions_) {
    for (const auto& [offset, segment] : residents.segments) f(*segment);
    for (const SegmentState* part : residents.parts) f(*part);
  }
}

void Registry::add(const Region& region) {
  const std::lock_guard lock(mutex_);
  regions_.emplace(region.base(), Residents{&region, {}, {}});
  if (region.has_window()) ++windows_;
}

// Also called for a region that could not be made, and was never added.
void Registry::remove(const Region& region) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = regions_.find(region.base());
  if (found == regions_.end() || found->second.region != &region) return;
  regions_.erase(found);
  if (region.has_window()) --windows_;
}

Registry::Residents& Registry::residents_of(const SegmentState& segment) {
  return regions_.at(segment.region().base());
}

void Registry::add(SegmentState& segment) {
  const std::lock_guard lock(mutex_);
  Residents& residents = residents_of(segment);
  if (segment.is_part()) {
    residents.parts.push_back(&segment);
  } else {
    residents.segments.emplace(segment.offset(), &segment);
  }
}

std::vector<SegmentState*> Registry::remove(SegmentState& segment) noexcept {
  const std::lock_guard lock(mutex_);
  Residents& residents = residents_of(segment);
  if (segment.is_part()) {
    std::erase(residents.parts, &segment);
  } else {
    residents.segments.erase(segment.offset());
  }
  const Statistics statistics = segment.statistics();
  closed_ += statistics;
  if (segment.traced != nullptr && trace::is_on()) trace::recorder().released(*segment.traced, statistics);
  segment.traced = nullptr;
  return find_parts(segment);
}

std::vector<SegmentState*> Registry::find_parts(const SegmentState& whole) const {
  const auto& all = regions_.at(whole.region().base()).parts;
  std::vector<SegmentState*> parts;
  std::copy_if(all.begin(), all.end(), std::back_inserter(parts),
               [&](const SegmentState* part) { return part->is_part_of(whole); });
  return parts;
}

std::vector<SegmentState*> Registry::parts_of(const SegmentState& whole) const {
  const std::lock_guard lock(mutex_);
  return find_parts(whole);
}

std::vector<Segment::PartRange> Registry::ranges_of_parts(const SegmentState& whole) const {
  const std::lock_guard lock(mutex_);
  std::vector<Segment::PartRange> ranges;
  for (const SegmentState* part : find_parts(whole))
    ranges.push_back({part->offset() - whole.offset(), part->slice});
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return ranges;
}

std::optional<Location> Registry::locate(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const auto* place = static_cast<const std::byte*>(pointer);
  const auto after = regions_.upper_bound(place);
  if (after == regions_.begin()) return {};
  const Residents& residents = std::prev(after)->second;
  const Region& region = *residents.region;
  if (place >= region.end()) return {};
  const index_t distance = place - region.base(), in_slice = distance % region.stride();
  const auto next = residents.segments.upper_bound(in_slice);
  if (next == residents.segments.begin()) return {};
  const SegmentState& segment = *std::prev(next)->second;
  const index_t offset = in_slice - segment.offset();
  const int rank = segment.group().rank_of_slot(distance / region.stride());
  if (offset >= segment.slice || rank < 0) return {};
  auto handle = segment.handle();
  if (!handle) return {};
  return Location{*std::move(handle), rank, offset};
}

void Registry::complete_all(const GroupState* group) const {
  const std::lock_guard lock(mutex_);
  for_each_segment([group](const SegmentState& segment) {
    if (group == nullptr || group == &segment.group()) segment.complete_all();
  });
}

Statistics Registry::statistics() const {
  const std::lock_guard lock(mutex_);
  Statistics sum = closed_;
  for_each_segment([&](const SegmentState& segment) { sum += segment.statistics(); });
  return sum;
}

void Registry::add_traced(std::map<std::uint32_t, trace::ArraySum>& sums) const {
  const std::lock_guard lock(mutex_);
  for_each_segment([&](const SegmentState& segment) {
    if (segment.traced != nullptr) trace::EventRecorder::add(sums, *segment.traced, segment.statistics());
  });
}

std::optional<std::uint64_t> Registry::operations_so_far() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return {};
  std::uint64_t sum = 0;
  const auto add = [&](const Statistics& some) {
    for (const auto& path : some.total) {
      for (const Traffic& traffic : path) sum += traffic.operations;
    }
  };
  add(closed_);
  for_each_segment([&](const SegmentState& segment) { add(segment.statistics()); });
  return sum;
}

}  // namespace tessera::detail
