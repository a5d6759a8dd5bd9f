// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/segment.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "format.hpp"
#include "kernels.hpp"
#include "memory_check.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera {
namespace detail {
namespace {

constexpr index_t alignment = 64;
constexpr index_t largest_slice = index_t{1} << 56;  // beyond any machine, and still safe to add up

Slab& slab_with_room(GroupState& group, Reach reach, bool must_have_window, index_t size, index_t& offset,
                     const std::string& what) {
  auto& slabs = group.slabs[static_cast<std::size_t>(reach)];
  for (const auto& slab : slabs) {
    if (must_have_window && !slab->region->window) continue;  // MPI had no more when it was made
    if ((offset = slab->free.take(size)) >= 0) return *slab;
  }
  auto region = Region::create(group, Slab::bytes, Slab::bytes, reach, must_have_window,
                               what + " (in a slab of small segments)");
  Slab& slab = *slabs.emplace_back(std::make_unique<Slab>(std::move(region)));
  offset = slab.free.take(size);
  return slab;
}

// What the members tell each other before a segment is made, reduced by minimum: a maximum travels negated, and
// two values that differ show when the least differs from the complement of the least complement.
enum Agreed : std::size_t { fingerprint, complement, minus_bytes, bad, settled, agreed_count };

AtomicDomain choose_domain(const GroupState& group, std::optional<AtomicDomain> wish) {
  return group.size == 1 ? AtomicDomain::cpu : wish.value_or(AtomicDomain::cpu);
}

Reach reach_of(const GroupState& group, const SegmentState& segment) {
  if (segment.domain == AtomicDomain::mpi) return Reach::window;
  const RuntimeState& runtime = *group.runtime;
  if (group.node_count == 1 || !runtime.window_problem.empty()) return Reach::node;
  if (segment.method == TransferMethod::automatic) return runtime.paths.any() ? Reach::window : Reach::node;
  return segment.method == TransferMethod::packed ? Reach::node : Reach::window;
}

// The members on this node, if their slices lie in the order of their ranks without a gap.
void set_direct_ranks(const GroupState& group, SegmentState& segment) {
  int first = -1, count = 0;
  for (int r = 0; r < group.size; ++r) {
    if (!group.on_node(r)) continue;
    if (first < 0) first = r;
    if (r != first + count) return;
    ++count;
  }
  segment.first_direct = first;
  segment.direct_ranks = count;
}

void take_memory(GroupState& group, SegmentState& segment, index_t bytes, const std::string& what) {
  const Reach reach = reach_of(group, segment);
  const bool must_have_window = segment.domain == AtomicDomain::mpi;
  if (segment.slice <= Slab::largest) {
    segment.slab = &slab_with_room(group, reach, must_have_window, segment.slice, segment.offset, what);
    segment.region = segment.slab->region.get();
    segment.accounted = segment.slice;
  } else {
    segment.own =
        Region::create(group, round_up(segment.slice, page_size()), bytes, reach, must_have_window, what);
    segment.region = segment.own.get();
    segment.accounted = bytes;
  }
}

}  // namespace

namespace {

// Never used again in this process, whatever runtimes come and go: the threads' caches live longer than they.
std::uint64_t next_segment_number() {
  static std::atomic<std::uint64_t> segments_made{0};
  return ++segments_made;
}

/// @collective @throws as Segment::Segment
std::shared_ptr<SegmentState> create_segment(GroupState& group, index_t bytes, const SegmentOptions& options) {
  const auto print = static_cast<std::int64_t>(
      Fingerprint()
          .add(options.name)
          .add(options.fingerprint)
          .add(static_cast<int>(options.domain ? 1 + static_cast<int>(*options.domain) : 0))
          .add(static_cast<int>(options.method))
          .value());
  std::array<std::int64_t, agreed_count> all{print, ~print, -std::max<index_t>(bytes, 0), bytes < 0 ? -1 : 0,
                                             group.alive.settle()};
  group.reduce_min(all.data(), agreed_count);
  group.reclaim(all[settled]);
  const std::string what = formatted("segment \"{}\"", options.name);
  if (all[fingerprint] != ~all[complement]) {
    throw UsageError(formatted(
        "{} was created with another name, shape, layout, element type or domain on another rank (segments "
        "and arrays are created "
        "by all members of their group, in the same order)",
        what));
  }
  if (all[bad] != 0) throw UsageError(formatted("{} was asked for with a negative size on some rank", what));
  const index_t largest = -all[minus_bytes];
  if (largest > largest_slice) {
    throw MemoryError(
        formatted("{} needs {} on one rank, more than any machine has", what, format_bytes(largest)));
  }
  auto segment = std::make_shared<SegmentState>();
  segment->name = options.name;
  segment->domain = choose_domain(group, options.domain);
  segment->method =
      options.method == TransferMethod::automatic ? group.runtime->environment.method : options.method;
  segment->slice = round_up(std::max<index_t>(largest, 1), alignment);
  take_memory(group, *segment, bytes, what);
  group.runtime->memory_in_use += segment->accounted;
  segment->number = next_segment_number();
  segment->stride = segment->region->stride;
  segment->base = segment->region->memory.base() + segment->offset;
  // Where the thread that calls has to run the agent, no operation may pass it by.
  segment->polls = group.node_count > 1 && group.runtime->progress->mode() == ProgressMode::poll;
  if (segment->domain == AtomicDomain::cpu && !segment->polls) set_direct_ranks(group, *segment);
  segment->group = &group;
  segment->locks = group.runtime->locks;
  {
    const std::lock_guard lock(group.runtime->registry_mutex);
    segment->region->segments.emplace(segment->offset, segment.get());
  }
  group.adopt(segment);
  return segment;
}

/// @collective @throws as Segment::part
std::shared_ptr<SegmentState> create_part(GroupState& group, SegmentState& whole, index_t offset, index_t bytes,
                                          std::string_view name, std::uint64_t fingerprint) {
  const auto print = static_cast<std::int64_t>(Fingerprint()
                                                   .add(name)
                                                   .add(fingerprint)
                                                   .add(whole.name)
                                                   .add(whole.offset)
                                                   .add(offset)
                                                   .add(bytes)
                                                   .value());
  std::array<std::int64_t, 2> all{print, ~print};
  group.reduce_min(all.data(), 2);
  if (all[0] != ~all[1]) {
    throw UsageError(formatted(
        "\"{}\" is another part, of another segment, or has another shape, layout or element type on another "
        "rank",
        name));
  }
  constexpr index_t element = 16;  // elements must not lie across the border of two lock stripes
  if (offset < 0 || bytes < 0 || offset % element != 0 || bytes > whole.slice - offset) {
    throw UsageError(
        formatted("\"{}\": {} bytes from byte {} on are no part of the {} bytes that each rank has in segment "
                  "\"{}\"{}",
                  name, bytes, offset, whole.slice, whole.name,
                  offset % element != 0 ? "; parts begin at multiples of 16" : ""));
  }
  auto part = std::make_shared<SegmentState>();
  static_cast<SegmentFace&>(*part) = whole;
  part->name = name;
  part->domain = whole.domain;
  part->method = whole.method;
  part->slice = bytes;
  part->whole = whole.handle.lock();
  part->region = whole.region;
  part->offset = whole.offset + offset;
  part->base = whole.base + offset;
  part->polls = whole.polls;
  part->number = next_segment_number();
  part->group = &group;
  part->locks = whole.locks;
  {
    const std::lock_guard lock(group.runtime->registry_mutex);
    part->region->parts.push_back(part.get());
  }
  group.adopt(part);
  return part;
}

}  // namespace

void SegmentState::require_open() const {
  if (region == nullptr) {
    throw UsageError(
        formatted("\"{}\" was used after it was closed (by close(), or because its Runtime had ended)", name));
  }
}

void SegmentState::require(Use wanted) const {
  if (polls) group->runtime->poll();
  if (use == wanted) return;
  if (wanted == Use::scalars) throw UsageError(formatted("\"{}\" does not hold scalars", name));
  throw UsageError(
      formatted("\"{}\" holds scalars, whose memory no transfer may touch (they are not locked); use the "
                "members of Scalars",
                name));
}

Statistics SegmentState::statistics() const {
  Statistics all = tallies.statistics();
  all.flushes = flushes;
  return all;
}

Address SegmentState::remote(int rank, index_t distance) const noexcept {
  const auto r = static_cast<std::size_t>(rank);
  return {group->runtime->progress->agent_of(group->world_rank[r]), region->number,
          group->slot[r] * stride + offset + distance};
}

void SegmentState::release() noexcept {
  if (region == nullptr) return;
  direct_ranks = 0;
  RuntimeState& runtime = *group->runtime;
  runtime.memory_in_use -= accounted;
  std::vector<SegmentState*> mine;
  {
    const std::lock_guard lock(runtime.registry_mutex);
    whole ? std::erase(region->parts, this) : region->segments.erase(offset);
    runtime.closed += statistics();
    std::copy_if(region->parts.begin(), region->parts.end(), std::back_inserter(mine),
                 [&](const SegmentState* part) { return part->whole.get() == this; });
  }
  for (SegmentState* part : mine) part->release();
  if (slab != nullptr) slab->free.give_back(offset, slice);
  own.reset();
  region = nullptr;
  whole.reset();
}

}  // namespace detail

const char* to_string(TransferMethod method) noexcept {
  constexpr const char* names[] = {"automatic", "batched", "direct", "packed"};
  return names[static_cast<std::size_t>(method)];
}

using detail::Pending;
using detail::SegmentState;

Segment::Segment(const Group& group, index_t bytes, const SegmentOptions& options) : group_(group) {
  hold(detail::create_segment(group.state(), bytes, options));
}

Segment Segment::part(index_t offset, index_t bytes, std::string_view name, std::uint64_t fingerprint) const {
  SegmentState& whole = state();
  whole.require(detail::Use::data);
  sync();
  Segment part(group_, nullptr);
  part.hold(detail::create_part(group_.state(), whole, offset, bytes, name, fingerprint));
  return part;
}

void Segment::hold(std::shared_ptr<SegmentState> state) {
  auto* raw = state.get();
  // The deleter lives on while somebody has a weak pointer, as the state itself has: it must not keep the
  // state.
  state_ = {static_cast<detail::SegmentFace*>(raw),
            [kept = std::move(state)](detail::SegmentFace*) mutable { std::exchange(kept, {})->drop(); }};
  raw->handle = state_;
  raw->group_handle = group_.state_;
}

Segment::~Segment() = default;
Segment::Segment(Segment&&) noexcept = default;
Segment& Segment::operator=(Segment&&) noexcept = default;

SegmentState& Segment::state() const {
  if (!state_) throw UsageError("a segment or array was used after it had been moved from");
  auto& segment = static_cast<SegmentState&>(*state_);
  segment.require_open();
  return segment;
}

void Segment::close() {
  SegmentState& segment = state();
  group_.check_agreement(formatted("close of \"{}\"", segment.name), 0);
  segment.complete_all();
  for (const SegmentState* part : segment.region->parts) part->complete_all();
  group_.state().meet();
  group_.state().alive.release(segment);
}

namespace {

const SegmentState* peek(const std::shared_ptr<detail::SegmentFace>& state) noexcept {
  return static_cast<const SegmentState*>(state.get());
}

// Calls transfer(Pending*): with none where nothing can stay under way.
template <class F>
Request asynchronous(SegmentState& segment, int rank, F&& transfer) {
  const bool elsewhere = rank >= 0 && rank < segment.group->size && segment.address(rank) == nullptr;
  if (!elsewhere && segment.domain == AtomicDomain::cpu) {
    transfer(nullptr);
    return {};
  }
  detail::RuntimeState& runtime = *segment.group->runtime;
  const detail::WindowLock lock(runtime);
  auto pending = std::make_shared<Pending>(runtime, segment, rank);
  transfer(pending.get());
  return Pending::launch(std::move(pending));
}

void require_accumulate(ElementKind kind, Update update) {
  const bool known = update == Update::sum || update == Update::min || update == Update::max;
  if (known && is_defined(update, kind)) return;
  throw UsageError(
      formatted("accumulate with {} is not defined for {} (sum is for every arithmetic kind, min and "
                "max for the real ones)",
                to_string(update), to_string(kind)));
}

}  // namespace

const std::string& Segment::name() const noexcept {
  static const std::string none = "(moved from)";
  return state_ ? peek(state_)->name : none;
}
AtomicDomain Segment::domain() const noexcept { return state_ ? peek(state_)->domain : AtomicDomain::cpu; }
bool Segment::is_open() const noexcept { return state_ && peek(state_)->region != nullptr; }
index_t Segment::slice_bytes() const noexcept { return face().slice; }

std::byte* Segment::address(int rank) const noexcept {
  return is_open() && rank >= 0 && rank < group_.size() ? peek(state_)->address(rank) : nullptr;
}

std::optional<Segment::Position> Segment::locate(const void* pointer) const noexcept {
  if (!is_open()) return {};
  const SegmentState& segment = *peek(state_);
  const index_t distance = static_cast<const std::byte*>(pointer) - segment.base;
  if (pointer < segment.base || distance % segment.stride >= segment.slice) return {};
  const int rank = segment.group->rank_of_slot(distance / segment.stride);
  if (rank < 0) return {};
  return Position{rank, distance % segment.stride};
}

void Segment::put(int rank, index_t offset, const Strided& shape, const void* source) {
  detail::transfer_put(state(), rank, offset, shape, static_cast<const std::byte*>(source));
}

void Segment::get(int rank, index_t offset, const Strided& shape, void* target) const {
  detail::transfer_get(state(), rank, offset, shape, static_cast<std::byte*>(target));
}

void Segment::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                         const void* source) {
  require_accumulate(kind, Update::sum);
  detail::transfer_accumulate(state(), rank, offset, shape, {.kind = kind, .alpha = alpha},
                              static_cast<const std::byte*>(source));
}

void Segment::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, Update update,
                         const void* source) {
  require_accumulate(kind, update);
  detail::transfer_accumulate(state(), rank, offset, shape,
                              {.kind = kind, .update = update, .alpha = detail::one(kind)},
                              static_cast<const std::byte*>(source));
}

Request Segment::put_async(int rank, index_t offset, const Strided& shape, const void* source) {
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_put(state(), rank, offset, shape, static_cast<const std::byte*>(source), pending);
  });
}

Request Segment::get_async(int rank, index_t offset, const Strided& shape, void* target) const {
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_get(state(), rank, offset, shape, static_cast<std::byte*>(target), pending);
  });
}

Request Segment::accumulate_async(int rank, index_t offset, const Strided& shape, ElementKind kind,
                                  const void* alpha, const void* source) {
  require_accumulate(kind, Update::sum);
  return asynchronous(state(), rank, [&](Pending* pending) {
    detail::transfer_accumulate(state(), rank, offset, shape, {.kind = kind, .alpha = alpha},
                                static_cast<const std::byte*>(source), pending);
  });
}

void Segment::fetch_op(int rank, index_t offset, ElementKind kind, Update update, const void* value,
                       void* result) {
  detail::element_update(state(), rank, offset, kind, update, value, result);
}

bool Segment::compare_exchange(int rank, index_t offset, ElementKind kind, void* expected,
                               const void* desired) {
  return detail::element_compare_exchange(state(), rank, offset, kind, expected, desired);
}

void Segment::flush(int rank) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const SegmentState& segment = state();
  detail::check_rank(segment, rank);
  segment.complete(rank, detail::anything);
}

void Segment::flush() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  state().complete_all();
}

void Segment::order_local_access() const {
  const SegmentState& segment = state();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  segment.complete_all();
  if (!segment.region->window) return;
  const detail::WindowLock lock(*segment.group->runtime);
  detail::mpi::sync_memory(segment.region->window.get());
}

void Segment::count(int rank, Operation operation, index_t bytes) const {
  SegmentState& segment = state();
  detail::count_untimed(segment, segment.tallies, rank, Path::node, operation, bytes);
}

Statistics Segment::statistics() const { return state_ ? peek(state_)->statistics() : Statistics(); }

void Segment::sync() const {
  const SegmentState& segment = state();
  group_.check_agreement(formatted("sync of \"{}\"", segment.name), 0);
  order_local_access();
  group_.state().meet();
  order_local_access();
}

}  // namespace tessera
