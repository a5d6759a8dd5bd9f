// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "kernels/accumulate.hpp"
#include "kernels/overlap.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "transfer/passage.hpp"
#include "transfer/paths/paths.hpp"
#include "transfer/route.hpp"

// Every transfer between a slice of a segment and local memory comes through here. It is checked, routed,
// ordered (passage.hpp), and sent on its path.
namespace tessera::detail {
namespace {

[[noreturn]] void throw_bad_lengths(const SegmentState& segment, int rank, const Strided& shape,
                                    std::span<const index_t> counts) {
  const std::string times = counts.empty() ? "" : formatted(", [{}] of them", joined(counts, ", "));
  throw UsageError(formatted("transfer at rank {} of segment \"{}\": runs of {} bytes{}", rank, segment.name(),
                             shape.run, times));
}

// The bytes of a transfer; 0 if there is nothing to do.
index_t bytes_of(const SegmentState& segment, int rank, const Strided& shape) {
  if (static_cast<std::size_t>(shape.levels) > max_rank) {
    throw UsageError(formatted("a transfer of segment \"{}\" has {} levels; 0 to {} are possible",
                               segment.name(), shape.levels, max_rank));
  }
  const auto counts = std::span(shape.count).first(static_cast<std::size_t>(shape.levels));
  const auto runs = checked_product(counts);
  const auto bytes = runs ? checked_product(shape.run, *runs) : std::nullopt;
  if (!bytes) throw_bad_lengths(segment, rank, shape, counts);
  if (*bytes == 0) check_rank(segment, rank);
  return *bytes;
}

[[noreturn]] void throw_out_of_range(const SegmentState& segment, int rank, index_t offset,
                                     const Strided& shape, const Range* range) {
  const auto counts = std::span(shape.count).first(static_cast<std::size_t>(shape.levels));
  if (shape.run < 0 || std::any_of(counts.begin(), counts.end(), [](index_t count) { return count < 0; }))
    throw_bad_lengths(segment, rank, shape, counts);
  const std::string bytes = range != nullptr ? formatted("bytes [{}, {})", range->low, range->high)
                                             : formatted("runs of {} bytes from byte {} on", shape.run, offset);
  throw UsageError(formatted("transfer of {} at rank {} exceeds segment \"{}\" of {} ranks with {} bytes each",
                             bytes, rank, segment.name(), segment.group().size(), segment.slice));
}

void check_range(const SegmentState& segment, int rank, index_t offset, const Strided& shape) {
  Range range;
  const bool fits = range_of(shape, shape.remote_stride, offset, range);
  if (!fits || rank < 0 || rank >= segment.group().size() || range.low < 0 || range.high > segment.slice)
    throw_out_of_range(segment, rank, offset, shape, fits ? &range : nullptr);
}

// An element that lies across the border of two stripes would be under no lock.
void check_alignment(const SegmentState& segment, index_t offset, const Strided& shape, ElementKind kind) {
  const index_t below = size_of(kind) - 1;
  index_t bits = offset | shape.run;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) bits |= shape.remote_stride[l];
  if ((bits & below) == 0) return;
  throw UsageError(
      formatted("accumulate of {} on segment \"{}\": offset {}, run {} and all remote strides must be "
                "multiples of {} bytes",
                to_string(kind), segment.name(), offset, shape.run, size_of(kind)));
}

// The address of a short contiguous transfer that is done by loads and stores. It counts the transfer, which
// needs nothing else. Null: the transfer takes the long way.
std::byte* short_way(const SegmentState& segment, int rank, index_t offset, const Strided& shape,
                     Operation operation) noexcept {
  const bool is_short = shape.levels == 0 && shape.run > 0 && shape.run < Counted::always_timed;
  if (!is_short || segment.use() != Use::data) return nullptr;
  return segment.count(rank, offset, shape.run, operation);
}

// Whether the elements of a contiguous accumulate are aligned, on this node, and apart from its source.
bool is_simple(const SegmentState& segment, int rank, index_t offset, const Strided& shape, ElementKind kind,
               const std::byte* source) noexcept {
  if (((offset | shape.run) & (size_of(kind) - 1)) != 0) return false;
  const std::byte* place = segment.reach(rank, offset, shape.run);
  return place != nullptr && (place + shape.run <= source || source + shape.run <= place);
}

Path route(const SegmentState& segment, int rank, Verb verb, const Strided& shape) noexcept {
  return route(segment, rank, verb, shape.run, shape.levels > 0 ? Amount::many : Amount::one);
}

void copy_short(std::byte* to, const std::byte* from, index_t bytes) noexcept {
  std::memmove(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

void check_rank(const SegmentState& segment, int rank) {
  if (rank >= 0 && rank < segment.group().size()) return;
  throw UsageError(formatted("rank {} is not in the group of segment \"{}\", which has {}", rank,
                             segment.name(), segment.group().size()));
}

void check_place(const SegmentState& segment, int rank, index_t offset, index_t bytes) {
  check_range(segment, rank, offset, Strided::contiguous(bytes));
}

void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending) {
  if (std::byte* place = short_way(segment, rank, offset, shape, Operation::put))
    return copy_short(place, source, shape.run);
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  check_range(segment, rank, offset, shape);
  if (conflicts::notes(segment.checked))
    conflicts::note_transfer(conflicts::Act::put, segment.checked, rank, offset, shape, source);
  const Path path = route(segment, rank, Verb::put, shape);
  const Passage passage(segment, rank, path, Verb::put, bytes, Returns::early);
  by(path, [&](auto way) { way.put(segment, rank, offset, shape, source, pending); });
}

bool put_with_notice(Segment& handle, int rank, index_t offset, const Strided& shape, const std::byte* source,
                     const Segment& flags, int flag_rank, index_t flag_offset) {
  SegmentState &segment = SegmentState::of(handle), &flag_segment = SegmentState::of(flags);
  if (segment.reach(rank, 0, 0) != nullptr) return false;  // by stores
  if (&segment.group().runtime() != &flag_segment.group().runtime()) return false;
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return false;
  constexpr index_t flag_bytes = sizeof(std::int64_t);
  segment.require(Use::data);
  check_range(segment, rank, offset, shape);
  check_place(flag_segment, flag_rank, flag_offset, flag_bytes);
  if (route(segment, rank, Verb::put, shape) != Path::agent ||
      route(flag_segment, flag_rank, Verb::update, flag_bytes) != Path::agent)
    return false;
  const RemoteAddress to = segment.remote(rank, offset), flag = flag_segment.remote(flag_rank, flag_offset);
  if (to.agent != flag.agent) return false;
  const Passage passage(segment, rank, Path::agent, Verb::put, bytes, Returns::early);
  const Passage notice(flag_segment, flag_rank, Path::agent, Verb::update, flag_bytes, Returns::early);
  segment.group().runtime().progress()->client().put(to, shape, source, nullptr, {flag.region, flag.position});
  return true;
}

void transfer_get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending) {
  if (const std::byte* place = short_way(segment, rank, offset, shape, Operation::get))
    return copy_short(target, place, shape.run);
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  check_range(segment, rank, offset, shape);
  if (conflicts::notes(segment.checked))
    conflicts::note_transfer(conflicts::Act::get, segment.checked, rank, offset, shape, target);
  const Path path = route(segment, rank, Verb::get, shape);
  const Passage passage(segment, rank, path, Verb::get, bytes,
                        pending != nullptr ? Returns::early : Returns::when_done);
  by(path, [&](auto way) { way.get(segment, rank, offset, shape, target, pending); });
}

void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Action& action, const std::byte* source, Pending* pending) {
  if (is_simple(segment, rank, offset, shape, action.kind, source)) {
    if (std::byte* place = short_way(segment, rank, offset, shape, Operation::accumulate))
      return accumulate_on_node(segment.stripes(), place, shape, action, source);
  }
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  check_range(segment, rank, offset, shape);
  check_alignment(segment, offset, shape, action.kind);
  if (conflicts::notes(segment.checked))
    conflicts::note_transfer(conflicts::Act::accumulate, segment.checked, rank, offset, shape, source);
  const Path path = route(segment, rank, Verb::accumulate, shape);
  const Passage passage(segment, rank, path, Verb::accumulate, bytes, Returns::early);
  // If the sides overlap, all of the source is read first: on the node's path and, in the MPI domain, by the
  // window.
  const std::byte* slice = segment.address(rank);
  if (slice == nullptr || !overlap(slice + offset, source, shape))
    return by(path, [&](auto way) { way.accumulate(segment, rank, offset, shape, action, source, pending); });
  LocalCopy copy(shape);
  copy.read(source);
  by(path,
     [&](auto way) { way.accumulate(segment, rank, offset, packed(shape), action, copy.data(), nullptr); });
}

}  // namespace tessera::detail
