// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/segment.hpp>

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "memory_check.hpp"
#include "state.hpp"

namespace tessera {
namespace detail {
namespace {

constexpr index_t alignment = 64;
constexpr index_t largest_slice = index_t{1} << 56;  // beyond any machine, and still safe to add up

Slab& slab_with_room(GroupState& group, index_t size, index_t& offset) {
  for (const auto& slab : group.slabs) {
    if ((offset = slab->take(size)) >= 0) return *slab;
  }
  auto region = Region::create(group, Slab::bytes, Slab::bytes, "the slab of small segments");
  offset = group.slabs.emplace_back(std::make_unique<Slab>(std::move(region)))->take(size);
  return *group.slabs.back();
}

// What the members tell each other before a segment is made, reduced by minimum: a maximum travels negated, and
// two values that differ show when the least differs from the complement of the least complement.
enum Agreed : std::size_t { fingerprint, complement, minus_bytes, bad, dropped, agreed_count };

}  // namespace

std::shared_ptr<SegmentState> create_segment(GroupState& group, index_t bytes, std::string_view name,
                                             std::uint64_t arguments) {
  group.alive.quiesce_dropped();
  const auto print = static_cast<std::int64_t>(Fingerprint().add(name).add(arguments).value());
  std::array<std::int64_t, agreed_count> all{print, ~print, -bytes, bytes < 0 ? -1 : 0, group.alive.dropped()};
  group.reduce_min(all.data(), agreed_count);
  group.reclaim(all[dropped]);
  const std::string what = fmt::format("segment \"{}\"", name);
  if (all[fingerprint] != ~all[complement]) {
    throw UsageError(
        fmt::format("{} was created with another name, shape, layout or element type on another rank (segments "
                    "and arrays are created "
                    "by all members of their group, in the same order)",
                    what));
  }
  if (all[bad] != 0) throw UsageError(fmt::format("{} was asked for with a negative size on some rank", what));
  const index_t largest = -all[minus_bytes];
  if (largest > largest_slice) {
    throw MemoryError(
        fmt::format("{} needs {} on one rank, more than any machine has", what, format_bytes(largest)));
  }
  auto segment = std::make_shared<SegmentState>();
  segment->name = name;
  segment->domain = group.node_count == 1 ? AtomicDomain::cpu : AtomicDomain::mpi;
  segment->slice = round_up(std::max<index_t>(largest, 1), alignment);
  if (segment->slice <= Slab::largest) {
    segment->slab = &slab_with_room(group, segment->slice, segment->offset);
    segment->region = &segment->slab->region();
    segment->accounted = segment->slice;
  } else {
    segment->own = Region::create(group, round_up(segment->slice, page_size()), bytes, what);
    segment->region = segment->own.get();
    segment->accounted = bytes;
  }
  group.runtime->memory_in_use += segment->accounted;
  segment->node_base = segment->region->memory.base() + segment->offset;
  segment->group = &group;
  group.adopt(segment);
  return segment;
}

void SegmentState::require_open() const {
  if (region == nullptr) {
    throw UsageError(fmt::format(
        "\"{}\" was used after it was closed (by close(), or because its Runtime had ended)", name));
  }
}

void SegmentState::complete(int rank, unsigned kinds) const {
  if (marks.empty()) return;
  const auto found = marks.find(rank);
  if (found == marks.end() || (found->second & kinds) == 0) return;
  mpi::flush(region->window.get(), rank);
  marks.erase(found);
}

void SegmentState::complete_all() const {
  for (const auto& [rank, kinds] : marks) mpi::flush(region->window.get(), rank);
  marks.clear();
}

void SegmentState::release() noexcept {
  if (region == nullptr) return;
  group->runtime->memory_in_use -= accounted;
  if (slab != nullptr) slab->give_back(offset, slice);
  own.reset();
  region = nullptr;
}

}  // namespace detail

using detail::SegmentState;

Segment::Segment(const Group& group, index_t bytes, std::string_view name, std::uint64_t fingerprint)
    : group_(group) {
  auto state = detail::create_segment(group.state(), bytes, name, fingerprint);
  auto* raw = state.get();
  state_ = {raw, [kept = std::move(state)](SegmentState* segment) { segment->drop(); }};
}

Segment::~Segment() = default;
Segment::Segment(Segment&&) noexcept = default;
Segment& Segment::operator=(Segment&&) noexcept = default;

SegmentState& Segment::state() const {
  if (!state_) throw UsageError("a segment or array was used after it had been moved from");
  state_->require_open();
  return *state_;
}

void Segment::close() {
  SegmentState& segment = state();
  group_.check_agreement(fmt::format("close of \"{}\"", segment.name), 0);
  segment.complete_all();
  group_.state().meet();
  group_.state().alive.release(segment);
}

const std::string& Segment::name() const noexcept {
  static const std::string none = "(moved from)";
  return state_ ? state_->name : none;
}
AtomicDomain Segment::domain() const noexcept { return state_ ? state_->domain : AtomicDomain::cpu; }
bool Segment::is_open() const noexcept { return state_ && state_->region != nullptr; }
index_t Segment::slice_bytes() const noexcept { return state_ ? state_->slice : 0; }

std::byte* Segment::address(int rank) const noexcept { return is_open() ? state_->address(rank) : nullptr; }

void Segment::put(int rank, index_t offset, const Strided& shape, const void* source) {
  detail::transfer_put(state(), rank, offset, shape, static_cast<const std::byte*>(source));
}

void Segment::get(int rank, index_t offset, const Strided& shape, void* target) const {
  detail::transfer_get(state(), rank, offset, shape, static_cast<std::byte*>(target));
}

void Segment::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                         const void* source) {
  detail::transfer_accumulate(state(), rank, offset, shape, kind, alpha, static_cast<const std::byte*>(source));
}

void Segment::fetch_add(int rank, index_t offset, ElementKind kind, const void* value, void* result) {
  detail::transfer_fetch_add(state(), rank, offset, kind, value, result);
}

void Segment::flush(int rank) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  state().complete(rank, SegmentState::put_mark | SegmentState::acc_mark);
}

void Segment::flush() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  state().complete_all();
}

void Segment::order_local_access() const {
  const SegmentState& segment = state();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!segment.region->window) return;
  segment.complete_all();
  detail::mpi::sync_memory(segment.region->window.get());
}

void Segment::sync() const {
  const SegmentState& segment = state();
  group_.check_agreement(fmt::format("sync of \"{}\"", segment.name), 0);
  order_local_access();
  group_.state().meet();
  order_local_access();
}

}  // namespace tessera
