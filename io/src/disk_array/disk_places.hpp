// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <vector>

#include <tessera/core/box.hpp>

namespace tessera::io::detail {

/// Where the elements of a disk array lie in its file: in tiles, one after the other in the row-major order of
/// their indices. Each tile is contiguous and row-major. A dataset in one piece is a single tile. Tiles at the
/// ends of the array have room for all their elements. @local
struct DiskPlaces {
  std::vector<index_t> tile;  // its extents
  index_t offset = -1;        // of the first; -1 if only HDF5 knows the places
  index_t element_bytes = 0;

  bool are_known() const noexcept { return offset >= 0; }
  index_t tile_bytes() const noexcept {
    index_t bytes = element_bytes;
    for (const index_t extent : tile) bytes *= extent;
    return bytes;
  }
};

/// Whether a box of this rank has no elements. @local
inline bool is_empty(const tessera::detail::Box& box, std::size_t rank) noexcept {
  for (std::size_t d = 0; d < rank; ++d) {
    if (box.lo[d] >= box.hi[d]) return true;
  }
  return false;
}

/// Calls f(part, first index of its tile, offset of its tile) for the part of the box in each tile, in
/// row-major order of the tiles. @local
template <class F>
void for_each_tile_in(const DiskPlaces& places, const std::vector<index_t>& dims,
                      const tessera::detail::Box& box, F&& f) {
  using tessera::detail::Box;
  const std::size_t rank = dims.size();
  const index_t tile_bytes = places.tile_bytes();
  Box tiles;  // those that the box touches
  for (std::size_t d = 0; d < rank; ++d) {
    if (box.lo[d] >= box.hi[d]) return;
    tiles.lo[d] = box.lo[d] / places.tile[d];
    tiles.hi[d] = (box.hi[d] - 1) / places.tile[d] + 1;
  }
  for (auto at = tiles.lo;;) {
    index_t number = 0;
    Box part;
    tessera::detail::Coordinates first;
    for (std::size_t d = 0; d < rank; ++d) {
      number = number * ((dims[d] - 1) / places.tile[d] + 1) + at[d];
      first[d] = at[d] * places.tile[d];
      part.lo[d] = std::max(box.lo[d], first[d]);
      part.hi[d] = std::min(box.hi[d], first[d] + places.tile[d]);
    }
    f(static_cast<const Box&>(part), first, places.offset + number * tile_bytes);
    std::size_t d = rank;
    while (d > 0 && ++at[d - 1] == tiles.hi[d - 1]) {
      at[d - 1] = tiles.lo[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace tessera::io::detail
