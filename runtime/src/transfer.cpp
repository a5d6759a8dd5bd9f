// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/detail/runs.hpp>

#include "format.hpp"
#include "kernels.hpp"
#include "progress.hpp"
#include "state.hpp"
#include "window_transfer.hpp"

// Every transfer between a slice of a segment and local memory comes through here: checked, counted, ordered
// after what it must not overtake, and sent by the node's memory or by the window.
namespace tessera::detail {
namespace {

[[noreturn]] void throw_bad_lengths(const SegmentState& segment, int rank, const Strided& shape,
                                    std::span<const index_t> counts) {
  throw UsageError(formatted("transfer at rank {} of segment \"{}\": runs of {} bytes, [{}] of them", rank,
                             segment.name, shape.run, joined(counts, ", ")));
}

// 0 where there is nothing to be done.
index_t bytes_of(const SegmentState& segment, int rank, const Strided& shape) {
  if (static_cast<std::size_t>(shape.levels) > max_rank) {
    throw UsageError(formatted("a transfer of segment \"{}\" has {} levels; 0 to {} are possible", segment.name,
                               shape.levels, max_rank));
  }
  const auto counts = std::span(shape.count).first(static_cast<std::size_t>(shape.levels));
  const auto runs = checked_product(counts);
  const auto bytes = runs ? checked_product(shape.run, *runs) : std::nullopt;
  if (!bytes) throw_bad_lengths(segment, rank, shape, counts);
  if (*bytes == 0) check_rank(segment, rank);
  return *bytes;
}

// The bytes that one side of a shape touches, relative to its first element.
struct Range {
  index_t low = 0, high = 0;
};

// For a shape that is not empty: false if a length is negative, or something does not fit 64 bits, which must
// not come out as a place inside.
bool range_of(const Strided& shape, const std::array<index_t, max_rank>& strides, index_t first, Range& range) {
  range.low = first;
  bool fits = !__builtin_add_overflow(first, shape.run, &range.high) && shape.run > 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    index_t reach = 0;
    fits &= shape.count[l] > 0;
    fits &= !__builtin_mul_overflow(shape.count[l] - 1, strides[l], &reach);
    index_t& end = reach < 0 ? range.low : range.high;
    fits &= !__builtin_add_overflow(end, reach, &end);
  }
  return fits;
}

[[noreturn]] void throw_out_of_range(const SegmentState& segment, int rank, const Strided& shape,
                                     const Range& range) {
  const auto counts = std::span(shape.count).first(static_cast<std::size_t>(shape.levels));
  if (shape.run < 0 || std::any_of(counts.begin(), counts.end(), [](index_t count) { return count < 0; }))
    throw_bad_lengths(segment, rank, shape, counts);
  throw UsageError(
      formatted("transfer of bytes [{}, {}) at rank {} exceeds segment \"{}\" of {} ranks with {} bytes each",
                range.low, range.high, rank, segment.name, segment.group->size, segment.slice));
}

Range checked(const SegmentState& segment, int rank, index_t offset, const Strided& shape) {
  Range range;
  const bool fits = range_of(shape, shape.remote_stride, offset, range);
  if (!fits || rank < 0 || rank >= segment.group->size || range.low < 0 || range.high > segment.slice)
    throw_out_of_range(segment, rank, shape, range);
  return range;
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
                to_string(kind), segment.name, offset, shape.run, size_of(kind)));
}

// Whether the local side shares memory with the remote side.
bool overlap(const std::byte* slice, const Range& remote, const std::byte* local, const Strided& shape) {
  Range range;
  range_of(shape, shape.local_stride, 0, range);
  const auto begin = reinterpret_cast<std::intptr_t>(slice), mine = reinterpret_cast<std::intptr_t>(local);
  return mine + range.low < begin + remote.high && begin + remote.low < mine + range.high;
}

// A dense copy of the local side.
class Copy {
 public:
  explicit Copy(const Strided& shape)
      : packing_(packing(shape)), data_(new std::byte[static_cast<std::size_t>(shape.bytes())]) {}
  std::byte* data() const noexcept { return data_.get(); }
  void read(const std::byte* local) { copy_strided(data(), local, packing_, Direction::local_to_remote); }
  void write(std::byte* local) const { copy_strided(local, data(), packing_, Direction::remote_to_local); }

 private:
  Strided packing_;
  std::unique_ptr<std::byte[]> data_;
};

// Copies and adds in one go must not read what they have written: where the sides overlap, all of the source is
// read first.
void put_on_node(std::byte* slice, index_t offset, const Range& remote, const Strided& shape,
                 const std::byte* source) {
  if (shape.levels > 0 && overlap(slice, remote, source, shape)) {
    Copy copy(shape);
    copy.read(source);
    return copy_strided(slice + offset, copy.data(), packed(shape), Direction::local_to_remote);
  }
  copy_strided(slice + offset, source, shape, Direction::local_to_remote);
}

void get_on_node(const std::byte* slice, index_t offset, const Range& remote, const Strided& shape,
                 std::byte* target) {
  if (shape.levels > 0 && overlap(slice, remote, target, shape)) {
    const Copy copy(shape);
    copy_strided(copy.data(), slice + offset, packed(shape), Direction::remote_to_local);
    return copy.write(target);
  }
  copy_strided(target, slice + offset, shape, Direction::remote_to_local);
}

// The place of a short contiguous transfer by loads and stores, which is then counted and has nothing else to
// look after. Null: the long way.
std::byte* short_way(const SegmentState& segment, int rank, index_t offset, const Strided& shape,
                     Operation operation) noexcept {
  const bool is_short = shape.levels == 0 && shape.run > 0 && shape.run < Counted::always_timed;
  if (!is_short || segment.use != Use::data) return nullptr;
  return segment.count(rank, offset, shape.run, operation);
}

// A contiguous accumulate of aligned elements from elsewhere.
bool is_simple(const SegmentState& segment, int rank, index_t offset, const Strided& shape, ElementKind kind,
               const std::byte* source) noexcept {
  if (((offset | shape.run) & (size_of(kind) - 1)) != 0) return false;
  const std::byte* place = segment.reach(rank, offset, shape.run);
  return place != nullptr && (place + shape.run <= source || source + shape.run <= place);
}

// How a put or get to another node travels.
Path path_between(const SegmentState& segment, const Strided& shape, Operation operation) noexcept {
  if (!segment.region->window) return Path::agent;
  if (segment.domain == AtomicDomain::mpi) return Path::window;
  if (segment.method == TransferMethod::automatic) {
    const PathChoice& paths = segment.group->runtime->paths;
    const auto& faster = operation == Operation::put ? paths.put : paths.get;
    return PathChoice::by_window(faster, shape.run) ? Path::window : Path::agent;
  }
  return segment.method == TransferMethod::packed ? Path::agent : Path::window;
}

void copy_short(std::byte* to, const std::byte* from, index_t bytes) noexcept {
  std::memmove(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

void check_rank(const SegmentState& segment, int rank) {
  if (rank >= 0 && rank < segment.group->size) return;
  throw UsageError(formatted("rank {} is not in the group of segment \"{}\", which has {}", rank, segment.name,
                             segment.group->size));
}

void check_place(const SegmentState& segment, int rank, index_t offset, index_t bytes) {
  checked(segment, rank, offset, Strided::contiguous(bytes));
}

void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source, Pending* pending) {
  if (std::byte* place = short_way(segment, rank, offset, shape, Operation::put))
    return copy_short(place, source, shape.run);
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  const Range remote = checked(segment, rank, offset, shape);
  std::byte* slice = segment.address(rank);
  const Path path = slice ? Path::node : path_between(segment, shape, Operation::put);
  const Counted counted(segment, segment.tallies, rank, path, Operation::put, bytes);
  if (slice != nullptr) {
    segment.complete(rank, SegmentState::acc_mark);
    return put_on_node(slice, offset, remote, shape, source);
  }
  const WindowLock lock(*segment.group->runtime);
  if (path == Path::agent) {
    // An agent keeps the order of what it is sent.
    segment.complete(rank, SegmentState::window_marks);
    segment.mark(rank, SegmentState::agent_write_mark);
    return segment.group->runtime->progress->courier().put(segment.remote(rank, offset), shape, source,
                                                           pending);
  }
  // MPI orders nothing between two puts, or a put and an accumulate (MPI standard 12.7.2): program order is
  // ours to keep.
  segment.complete(rank, SegmentState::all_marks);
  segment.mark(rank, SegmentState::put_mark);
  as_stage(pending, [&](WindowStage* stage) { window_put(segment, rank, offset, shape, source, stage); });
}

bool put_with_notice(Segment& handle, int rank, index_t offset, const Strided& shape, const std::byte* source,
                     const Segment& flags, int flag_rank, index_t flag_offset) {
  SegmentState &segment = SegmentState::of(handle), &flag_segment = SegmentState::of(flags);
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return false;
  segment.require(Use::data);
  checked(segment, rank, offset, shape);
  check_place(flag_segment, flag_rank, flag_offset, sizeof(std::int64_t));
  if (segment.address(rank) != nullptr || flag_segment.address(flag_rank) != nullptr) return false;
  if (flag_segment.domain == AtomicDomain::mpi || path_between(segment, shape, Operation::put) != Path::agent)
    return false;
  const Address to = segment.remote(rank, offset), flag = flag_segment.remote(flag_rank, flag_offset);
  if (to.agent != flag.agent) return false;
  const WindowLock lock(*segment.group->runtime);
  const Counted counted(segment, segment.tallies, rank, Path::agent, Operation::put, bytes);
  const Counted notice(flag_segment, flag_segment.tallies, flag_rank, Path::agent, Operation::atomic,
                       sizeof(std::int64_t));
  segment.complete(rank, SegmentState::window_marks);
  segment.mark(rank, SegmentState::agent_write_mark);
  flag_segment.mark(flag_rank, SegmentState::agent_write_mark);
  segment.group->runtime->progress->courier().put(to, shape, source, nullptr, {flag.region, flag.position});
  return true;
}

void transfer_get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                  Pending* pending) {
  if (const std::byte* place = short_way(segment, rank, offset, shape, Operation::get))
    return copy_short(target, place, shape.run);
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  const Range remote = checked(segment, rank, offset, shape);
  const std::byte* slice = segment.address(rank);
  const Path path = slice ? Path::node : path_between(segment, shape, Operation::get);
  const Counted counted(segment, segment.tallies, rank, path, Operation::get, bytes);
  if (slice != nullptr) {
    segment.complete(rank, SegmentState::acc_mark);
    return get_on_node(slice, offset, remote, shape, target);
  }
  const WindowLock lock(*segment.group->runtime);
  if (path == Path::agent) {
    segment.complete(rank, SegmentState::put_mark | SegmentState::acc_mark);
    if (pending != nullptr) segment.mark(rank, SegmentState::agent_get_mark);
    return segment.group->runtime->progress->courier().get(segment.remote(rank, offset), shape, target,
                                                           pending);
  }
  segment.complete(rank, SegmentState::put_mark | SegmentState::acc_mark | SegmentState::agent_write_mark);
  if (pending != nullptr) segment.mark(rank, SegmentState::get_mark);
  as_stage(pending, [&](WindowStage* stage) { window_get(segment, rank, offset, shape, target, stage); });
}

void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         const Combine& combine, const std::byte* source, Pending* pending) {
  if (is_simple(segment, rank, offset, shape, combine.kind, source)) {
    if (std::byte* place = short_way(segment, rank, offset, shape, Operation::accumulate))
      return accumulate_on_node(segment.stripes(), place, shape, combine, source);
  }
  const index_t bytes = bytes_of(segment, rank, shape);
  if (bytes == 0) return;
  segment.require(Use::data);
  const Range remote = checked(segment, rank, offset, shape);
  check_alignment(segment, offset, shape, combine.kind);
  const bool cpu = segment.domain == AtomicDomain::cpu;
  std::byte* slice = segment.address(rank);
  const Path path = !cpu ? Path::window : slice ? Path::node : Path::agent;
  const Counted counted(segment, segment.tallies, rank, path, Operation::accumulate, bytes);
  std::optional<Copy> copy;
  std::optional<Strided> of_copy;
  if (slice != nullptr && overlap(slice, remote, source, shape)) {
    copy.emplace(shape).read(source);
    source = copy->data();
    of_copy = packed(shape);
    pending = nullptr;
  }
  const Strided& from = of_copy ? *of_copy : shape;
  if (path == Path::node) return accumulate_on_node(segment.stripes(), slice + offset, from, combine, source);
  const WindowLock lock(*segment.group->runtime);
  if (path == Path::agent) {
    segment.complete(rank, SegmentState::window_marks);
    segment.mark(rank, SegmentState::agent_write_mark);
    return segment.group->runtime->progress->courier().accumulate(segment.remote(rank, offset), from, combine,
                                                                  source, pending);
  }
  segment.complete(rank, SegmentState::put_mark | SegmentState::get_mark);
  segment.mark(rank, SegmentState::acc_mark);
  as_stage(pending,
           [&](WindowStage* stage) { window_accumulate(segment, rank, offset, from, combine, source, stage); });
}

}  // namespace tessera::detail
