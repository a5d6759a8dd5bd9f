// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stage_work.hpp"

#include <algorithm>

#include <tessera/layout.hpp>

namespace tessera::fft {
namespace {

// Chunks stay in a core's caches if they do not travel. Otherwise they make long messages from each rank, but
// not too long to be sent and received behind transforms.
constexpr index_t chunk_in_cache = index_t{256} << 10, message = index_t{64} << 10;
constexpr index_t least_that_travels = index_t{2} << 20, most_that_travels = index_t{16} << 20;

// The boxes of a rank, of which only the dimensions outside the stage count. They are the rank's blocks of an
// operand that has the stage's dimensions whole; else all elements are divided anew.
std::vector<Box> boxes_of(const StageWork& work, int rank) {
  std::vector<Box> boxes;
  if (work.is_whole_in || work.is_whole_out) {
    const SliceCore& slice = work.is_whole_in ? work.in : work.out;
    slice.for_each_piece_of(rank,
                            [&](const tessera::detail::LocalPiece& piece) { boxes.push_back(piece.box); });
    return boxes;
  }
  const int dimensions = work.in.rank();
  Coordinates dims = work.in.extents(), least{}, grid{};
  for (int d = 0; d < dimensions; ++d) {
    if (!contains(work.dimensions, only(d))) continue;
    dims[at(d)] = 1;
    grid[at(d)] = 1;
  }
  const tessera::detail::LayoutCore layout =
      tessera::detail::make_blocked(dimensions, dims.data(), work.group().size(), least.data(), grid.data());
  for (index_t b = 0; b < layout.block_count(rank); ++b) boxes.push_back(layout.block(rank, b).box);
  return boxes;
}

bool is_empty(const StageWork& work, const Box& box) {
  for (int d = 0; d < work.in.rank(); ++d) {
    if (!contains(work.dimensions, only(d)) && box.lo[at(d)] >= box.hi[at(d)]) return true;
  }
  return false;
}

// The strides of the first piece of a box, on whatever node it is.
Coordinates strides_in(const SliceCore& slice, const Box& box) {
  Coordinates strides{};
  bool found = false;
  slice.for_each_piece(box, [&](int, const tessera::detail::LocalPiece& piece) {
    if (!std::exchange(found, true)) strides = piece.strides;
  });
  return strides;
}

}  // namespace

bool covers(const Box& all, const Box& some, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (all.lo[at(d)] > some.lo[at(d)] || all.hi[at(d)] < some.hi[at(d)]) return false;
  }
  return true;
}

Box box_in(const StageWork& work, const SliceCore& side, const Box& chunk) {
  Box box = chunk;
  for (int d = 0; d < side.rank(); ++d) {
    if (!contains(work.dimensions, only(d))) continue;
    box.lo[at(d)] = 0;
    box.hi[at(d)] = side.extents()[at(d)];
  }
  return box;
}

std::vector<StageShare> shares_of(const StageWork& work, int rank) {
  std::vector<StageShare> shares;
  const index_t size = std::max(work.in.type().size, work.out.type().size);
  const index_t bytes = work.fetches() || work.returns()
                            ? std::clamp(work.group().size() * message, least_that_travels, most_that_travels)
                            : chunk_in_cache;
  for (const Box& box : boxes_of(work, rank)) {
    if (is_empty(work, box)) continue;
    StageShare share{box_in(work, work.in, box), box_in(work, work.out, box), {}, {}};
    share.closest_first = by_stride(strides_in(work.in, share.in), work.in.rank());
    Chunking(share.in, work.dimensions, share.closest_first, size, bytes).for_each([&](const Box& chunk) {
      share.chunks.push_back(chunk);
    });
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace tessera::fft
