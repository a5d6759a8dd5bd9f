// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/workspace_core.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t alignment = max_alignment;

// No more than 2^63 - 64, so that it can be asked for and refused.
index_t aligned(index_t bytes) noexcept {
  constexpr index_t most = std::numeric_limits<index_t>::max() / alignment;
  return std::min(most, (std::max<index_t>(bytes, 1) - 1) / alignment + 1) * alignment;
}

// Calls f(offset, bytes) for each place in a segment that no part uses.
template <class F>
void for_each_gap(const Segment& segment, F&& f) {
  index_t begin = 0;
  for (const Segment::PartRange& part : segment.parts()) {
    f(begin, part.offset - begin);
    begin = std::max(begin, part.offset + aligned(part.bytes));
  }
  f(begin, segment.slice_bytes() - begin);
}

}  // namespace

WorkspaceCore::WorkspaceCore(const Group& group, const WorkspaceOptions& options)
    : group_(group), name_(options.name), domain_(options.domain) {
  require_alike(options.bytes);
  if (options.bytes != 0) add(options.bytes);
}

// Ranks that take other ways would wait for each other.
void WorkspaceCore::require_alike(index_t bytes) const {
  std::array<std::int64_t, 2> range{bytes, ~bytes};  // of complements, the least is that of the largest
  group_.all_reduce(std::span<std::int64_t>(range), Reduce::min);
  if (range[0] == ~range[1]) return;
  throw UsageError(
      formatted("workspace \"{}\": ranks ask for {} to {} bytes on each rank, where all ask for as many", name_,
                range[0], ~range[1]));
}

void WorkspaceCore::require_open() const {
  if (is_closed_) throw UsageError(formatted("workspace \"{}\" was used after it was closed", name_));
}

void WorkspaceCore::add(index_t bytes) {
  segments_.emplace_back(group_, bytes, SegmentOptions{.name = name_, .domain = domain_});
}

// All members see the same parts: parts are released in collective calls only.
void WorkspaceCore::free_unused() {
  for (Segment& segment : segments_)
    if (segment.parts().empty()) segment.close();
  std::erase_if(segments_, [](const Segment& segment) { return !segment.is_open(); });
}

// The smallest place that fits, so that large places stay whole.
WorkspaceCore::FreePlace WorkspaceCore::take(const LayoutCore& layout, const ElementType& type) {
  require_open();
  group_.sync();  // releases the arrays that all members have given up
  const index_t bytes = aligned(slice_to_ask(group_, layout, type));
  require_alike(bytes);
  FreePlace best{nullptr, 0};
  index_t least = 0;
  for (const Segment& segment : segments_) {
    for_each_gap(segment, [&](index_t offset, index_t gap) {
      if (gap < bytes || (best.memory != nullptr && gap >= least)) return;
      best = {&segment, offset};
      least = gap;
    });
  }
  if (best.memory != nullptr) return best;
  // What is unused is too small. Without it, the workspace stays near the most that its arrays use.
  free_unused();
  add(bytes);
  return {&segments_.back(), 0};
}

void WorkspaceCore::trim() {
  require_open();
  group_.sync();
  free_unused();
}

void WorkspaceCore::close() {
  require_open();
  for (Segment& segment : segments_) segment.close();
  segments_.clear();
  is_closed_ = true;
}

index_t WorkspaceCore::bytes() const noexcept {
  index_t all = 0;
  for (const Segment& segment : segments_) all += segment.slice_bytes();
  return all;
}

index_t WorkspaceCore::bytes_in_use() const {
  index_t all = 0;
  for (const Segment& segment : segments_)
    for (const Segment::PartRange& part : segment.parts()) all += part.bytes;
  return all;
}

}  // namespace tessera::detail
