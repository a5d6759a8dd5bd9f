// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/block_list.hpp>

namespace tessera::detail {

/// A box laid out densely, the last dimension fastest. Strides in elements.
struct Dense {
  Coordinates extents{}, strides{};
  index_t size = 1;
  Dense(const Box& box, int rank) {
    for (int i = rank - 1; i >= 0; --i) {
      const auto d = static_cast<std::size_t>(i);
      strides[d] = size;
      size *= extents[d] = box.hi[d] - box.lo[d];
    }
  }
};

/// The number of elements of a box that is not inverted. @local
inline index_t volume(const Box& box, int rank) { return Dense(box, rank).size; }

/// Halves a box until no part has more than `most` elements, and calls f for each part. @local
template <class F>
void in_chunks(const Box& box, int rank, index_t most, F&& f) {
  if (volume(box, rank) <= most) return f(box);
  std::size_t widest = 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(rank); ++d) {
    if (box.hi[d] - box.lo[d] > box.hi[widest] - box.lo[widest]) widest = d;
  }
  Box first = box, second = box;
  first.hi[widest] = second.lo[widest] = box.lo[widest] + (box.hi[widest] - box.lo[widest]) / 2;
  in_chunks(first, rank, most, f);
  in_chunks(second, rank, most, f);
}

}  // namespace tessera::detail
