// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/file_order.hpp"

#include <algorithm>

namespace tessera::io::detail {

namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::LayoutCore;
using tessera::detail::SliceCore;

// Limits, because each rank moves its pieces by itself, with one system call per piece.
constexpr index_t small_piece = 4096, many_pieces = 64;

bool has_small_pieces(const LayoutCore& layout, const SliceCore& slice) {
  const auto rank = static_cast<std::size_t>(slice.rank());
  for (int owner = 0; owner < slice.array().group().size(); ++owner) {
    if (layout.block_count(owner) == 0) continue;
    const Box& box = layout.block(owner, 0).box;
    index_t bytes = slice.type().size, pieces = 1;
    std::size_t d = rank;
    while (d > 0) {
      --d;
      bytes *= box.hi[d] - box.lo[d];
      if (box.hi[d] - box.lo[d] != slice.extents()[d]) break;
    }
    while (d > 0) {
      --d;
      pieces *= box.hi[d] - box.lo[d];
    }
    if (bytes < small_piece && pieces > many_pieces) return true;
  }
  return false;
}

bool is_in_order(const SliceCore& slice) {
  const LayoutCore& layout = slice.array().layout();
  return slice.is_whole() && layout.has_single_blocks() && !layout.has_ghosts() &&
         layout.storage() == StorageOrder::row_major && !has_small_pieces(layout, slice);
}

LayoutCore layout_of_copy(const SliceCore& slice) {
  return file_layout(slice.rank(), slice.extents(), slice.array().group().size());
}

}  // namespace

LayoutCore file_layout(int rank, const Coordinates& extents, int ranks) {
  Coordinates grid{};
  index_t left = ranks;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    grid[d] = std::clamp<index_t>(extents[d], 1, left);
    left /= grid[d];
  }
  const Coordinates no_minimum{};
  return tessera::detail::make_blocked(rank, extents.data(), ranks, no_minimum.data(), grid.data());
}

FileOrder::FileOrder(const SliceCore& slice) : slice_(slice) {
  if (is_in_order(slice)) return;
  const auto& array = slice.array();
  copy_.emplace(array.group(), layout_of_copy(slice), slice.type(),
                tessera::detail::CoreOptions{.name = array.name()});
}

tessera::detail::Box FileOrder::box_of(const SliceCore& slice) {
  const int me = slice.array().group().rank();
  const auto box = [&](const LayoutCore& layout) {
    return layout.block_count(me) == 0 ? tessera::detail::Box{} : layout.block(me, 0).box;
  };
  return is_in_order(slice) ? box(slice.array().layout()) : box(layout_of_copy(slice));
}

}  // namespace tessera::io::detail
