// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "kernels.hpp"
#include "state.hpp"

// Every transfer between a slice of a segment and local memory. On the node: loads and stores. Between nodes:
// contiguous MPI operations on the window, batched; what is not contiguous on the local side goes through a
// packed buffer.
namespace tessera::detail {
namespace {

constexpr index_t most_staged = index_t{4} << 20;  // bytes packed at a time
constexpr int most_pending = 512;                  // operations before their local completion is waited for

void check_range(const SegmentState& segment, int rank, index_t offset, const Strided& shape) {
  index_t low = offset, high = 0, reach = 0;
  // What does not fit 64 bits must not come out as a place inside.
  bool fits = !__builtin_add_overflow(offset, shape.run, &high);
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    fits &= !__builtin_mul_overflow(shape.count[l] - 1, shape.remote_stride[l], &reach);
    index_t& end = reach < 0 ? low : high;
    fits &= !__builtin_add_overflow(end, reach, &end);
  }
  if (fits && rank >= 0 && rank < segment.group->size && low >= 0 && high <= segment.slice) return;
  throw UsageError(
      fmt::format("transfer of bytes [{}, {}) at rank {} exceeds segment \"{}\" of {} ranks with {} bytes each",
                  low, high, rank, segment.name, segment.group->size, segment.slice));
}

template <class F>
void for_each_run(const Strided& m, int level, index_t remote, index_t local, F& f) {
  if (level == 0) return f(remote, local);
  const auto l = static_cast<std::size_t>(level - 1);
  for (index_t i = 0; i < m.count[l]; ++i) {
    for_each_run(m, level - 1, remote + i * m.remote_stride[l], local + i * m.local_stride[l], f);
  }
}

// The same elements with the local side densely packed in the order of the remote side.
Strided packed(const Strided& m) {
  Strided dense = m;
  index_t stride = m.run;
  for (std::size_t l = 0; l < static_cast<std::size_t>(m.levels); ++l) {
    dense.local_stride[l] = stride;
    stride *= m.count[l];
  }
  return dense;
}

// Local memory against the packed buffer.
Strided repack(const Strided& m) {
  Strided shape = packed(m);
  shape.remote_stride = shape.local_stride;
  shape.local_stride = m.local_stride;
  return shape;
}

// Calls f(part, remote, local) for parts of a merged shape that fit the packing buffer.
template <class F>
void in_parts(const Strided& m, index_t element, index_t remote, index_t local, F& f) {
  if (m.bytes() <= most_staged) return f(m, remote, local);
  Strided half = m, rest = m;
  if (m.levels == 0) {
    half.run = m.run / 2 / element * element;
    rest.run = m.run - half.run;
    in_parts(half, element, remote, local, f);
    return in_parts(rest, element, remote + half.run, local + half.run, f);
  }
  const auto last = static_cast<std::size_t>(m.levels - 1);
  half.count[last] = m.count[last] / 2;
  rest.count[last] = m.count[last] - half.count[last];
  in_parts(half.merged(), element, remote, local, f);
  in_parts(rest.merged(), element, remote + half.count[last] * m.remote_stride[last],
           local + half.count[last] * m.local_stride[last], f);
}

std::byte* scratch(const SegmentState& segment, index_t bytes) {
  auto& buffer = segment.group->runtime->scratch;
  if (static_cast<index_t>(buffer.size()) < bytes) buffer.resize(static_cast<std::size_t>(bytes));
  return buffer.data();
}

// Issues `operation(remote offset, local offset, bytes)` for each run and waits until local memory is free
// again.
template <class Operation>
void issue(const SegmentState& segment, int rank, const Strided& m, Operation&& operation) {
  MPI_Win win = segment.region->window.get();
  int pending = 0;
  auto one = [&](index_t remote, index_t local) {
    operation(segment.offset + remote, local, m.run);
    if (++pending % most_pending == 0) mpi::flush_local(win, rank);
  };
  for_each_run(m, m.levels, 0, 0, one);
  mpi::flush_local(win, rank);
}

// Under the stripe locks of the node. Runs are walked in the order of memory and a stripe is kept until the
// next begins.
void accumulate_on_node(const SegmentState& segment, std::byte* target, const Strided& m, ElementKind kind,
                        const void* alpha, const std::byte* source) {
  const index_t element = size_of(kind);
  const std::byte* base = segment.region->memory.base();
  StripeHolder holder(segment.group->runtime->locks);
  auto run = [&](index_t remote, index_t local) {
    for (index_t done = 0; done < m.run;) {
      std::byte* where = target + remote + done;
      const index_t to_block_end = LockStripes::block - (where - base) % LockStripes::block;
      const index_t bytes = std::min(m.run - done, to_block_end);
      holder.hold(segment.stripe(where));
      add_scaled(kind, where, source + local + done, bytes / element, alpha);
      done += bytes;
    }
  };
  for_each_run(m, m.levels, 0, 0, run);
}

void accumulate_by_mpi(SegmentState& segment, int rank, index_t offset, const Strided& shape, ElementKind kind,
                       const void* alpha, const std::byte* source) {
  MPI_Win win = segment.region->window.get();
  const index_t element = size_of(kind);
  const bool scaled = !is_one(kind, alpha);
  segment.complete(rank, SegmentState::put_mark);
  segment.marks[rank] |= SegmentState::acc_mark;
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    const bool stage = scaled || dense.run > m.run;
    const std::byte* from = source + local;
    if (stage) {
      std::byte* buffer = scratch(segment, m.bytes());
      copy_strided(buffer, from, repack(m), Direction::local_to_remote);
      if (scaled) scale(kind, buffer, m.bytes() / element, alpha);
      from = buffer;
    }
    issue(segment, rank, stage ? dense : m, [&](index_t there, index_t here, index_t bytes) {
      mpi::accumulate_sum(win, rank, offset + remote + there, kind, from + here, bytes);
    });
  };
  in_parts(shape.merged(), element, 0, 0, part);
}

}  // namespace

void transfer_put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  const std::byte* source) {
  if (shape.bytes() == 0) return;
  check_range(segment, rank, offset, shape);
  if (std::byte* slice = segment.address(rank)) {
    segment.complete(rank, SegmentState::acc_mark);
    return copy_strided(slice + offset, source, shape, Direction::local_to_remote);
  }
  MPI_Win win = segment.region->window.get();
  // MPI orders nothing between two puts, or a put and an accumulate (MPI standard 12.7.2): program order is
  // ours to keep.
  segment.complete(rank, SegmentState::put_mark | SegmentState::acc_mark);
  segment.marks[rank] |= SegmentState::put_mark;
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    const bool stage = dense.run > m.run;
    const std::byte* from = source + local;
    if (stage) {
      std::byte* buffer = scratch(segment, m.bytes());
      copy_strided(buffer, from, repack(m), Direction::local_to_remote);
      from = buffer;
    }
    issue(segment, rank, stage ? dense : m, [&](index_t there, index_t here, index_t bytes) {
      mpi::put(win, rank, offset + remote + there, from + here, bytes);
    });
  };
  in_parts(shape.merged(), 1, 0, 0, part);
}

void transfer_get(const SegmentState& segment, int rank, index_t offset, const Strided& shape,
                  std::byte* target) {
  if (shape.bytes() == 0) return;
  check_range(segment, rank, offset, shape);
  if (const std::byte* slice = segment.address(rank)) {
    segment.complete(rank, SegmentState::acc_mark);
    return copy_strided(target, slice + offset, shape, Direction::remote_to_local);
  }
  MPI_Win win = segment.region->window.get();
  segment.complete(rank, SegmentState::put_mark | SegmentState::acc_mark);
  auto part = [&](const Strided& m, index_t remote, index_t local) {
    const Strided dense = packed(m).merged();
    const bool stage = dense.run > m.run;
    std::byte* to = stage ? scratch(segment, m.bytes()) : target + local;
    issue(segment, rank, stage ? dense : m, [&](index_t there, index_t here, index_t bytes) {
      mpi::get(win, rank, offset + remote + there, to + here, bytes);
    });
    if (stage) copy_strided(target + local, to, repack(m), Direction::remote_to_local);
  };
  in_parts(shape.merged(), 1, 0, 0, part);
}

void transfer_accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                         ElementKind kind, const void* alpha, const std::byte* source) {
  if (shape.bytes() == 0) return;
  check_range(segment, rank, offset, shape);
  if (segment.domain == AtomicDomain::mpi)
    return accumulate_by_mpi(segment, rank, offset, shape, kind, alpha, source);
  accumulate_on_node(segment, segment.address(rank) + offset, shape.merged(), kind, alpha, source);
}

void transfer_fetch_add(SegmentState& segment, int rank, index_t offset, ElementKind kind, const void* value,
                        void* result) {
  check_range(segment, rank, offset, Strided::contiguous(size_of(kind)));
  if (segment.domain == AtomicDomain::mpi) {
    segment.complete(rank, SegmentState::put_mark);
    mpi::fetch_and_add(segment.region->window.get(), rank, segment.offset + offset, kind, value, result);
    segment.marks[rank] |= SegmentState::acc_mark;
    return segment.complete(rank, SegmentState::acc_mark);
  }
  std::byte* where = segment.address(rank) + offset;
  StripeHolder holder(segment.group->runtime->locks);
  holder.hold(segment.stripe(where));
  fetch_add(kind, where, value, result);
}

}  // namespace tessera::detail
