// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/workspace_core.hpp>

#include <algorithm>
#include <limits>

#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t alignment = max_alignment;

// No more than 2^63 - 64, so that it can be asked for and refused.
index_t aligned(index_t bytes) noexcept {
  constexpr index_t most = std::numeric_limits<index_t>::max() / alignment;
  return std::min(most, (std::max<index_t>(bytes, 1) - 1) / alignment + 1) * alignment;
}

// The first place in a segment that no part uses; -1 if there is none.
index_t first_gap(const Segment& segment, index_t bytes) {
  index_t begin = 0;
  for (const Segment::PartRange& part : segment.parts()) {
    if (part.offset - begin >= bytes) return begin;
    begin = std::max(begin, part.offset + aligned(part.bytes));
  }
  return segment.slice_bytes() - begin >= bytes ? begin : -1;
}

}  // namespace

WorkspaceCore::WorkspaceCore(const Group& group, const WorkspaceOptions& options)
    : group_(group), name_(options.name), domain_(options.domain) {
  // A negative size on some rank is told on all.
  if (group_.all_reduce(std::int64_t{options.bytes != 0}, Reduce::max) > 0) add(options.bytes);
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

WorkspaceCore::Room WorkspaceCore::take(const LayoutCore& layout, const ElementType& type) {
  require_open();
  group_.sync();  // releases the arrays that all members have given up
  const index_t bytes = aligned(largest_slice(group_, layout, type));
  for (const Segment& segment : segments_)
    if (const index_t offset = first_gap(segment, bytes); offset >= 0) return {&segment, offset};
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
