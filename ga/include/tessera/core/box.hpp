// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include <tessera/patch.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

using Coordinates = std::array<index_t, static_cast<std::size_t>(max_rank)>;

/// A patch with a run-time number of dimensions. Entries beyond that number are neither used nor set.
struct Box {
  Coordinates lo, hi;
};

/// A patch of an array, or every step-th element of the patch, from its first element on.
struct Lattice : Box {
  Coordinates step;  // only if stepped
  bool stepped = false;

  Lattice() {}  // as in Box, entries beyond the rank are not set
  Lattice(const Box& box) : Box(box) {}
  /// How many elements there are along a dimension. @local
  index_t extent(std::size_t d) const noexcept {
    const index_t range = hi[d] - lo[d];
    return stepped ? (range + step[d] - 1) / step[d] : range;
  }
};

/// A patch as a Box, or as a class derived from it. @local
template <class B = Box, std::size_t N>
B box_of(const Patch<N>& patch) {
  B box;
  std::copy_n(patch.lo.begin(), N, box.lo.begin());
  std::copy_n(patch.hi.begin(), N, box.hi.begin());
  return box;
}

/// Covers elements [begin, end), in row-major order, of an array of these extents with as few boxes as
/// possible. Calls f(box, elements before it) for each box. A box is some rows along one dimension, and all of
/// the dimensions behind it. @local
template <class F>
void for_each_box_of_range(std::span<const index_t> extents, index_t begin, index_t end, F&& f) {
  for (index_t first = begin; first < end;) {
    Box box{};
    index_t rest = first, row = 1;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
      box.lo[d] = rest % extents[d];
      box.hi[d] = box.lo[d] + 1;
    }
    std::size_t cut = extents.size() - 1;
    while (cut > 0 && box.lo[cut] == 0 && row * extents[cut] <= end - first) row *= extents[cut--];
    const index_t rows = std::min(extents[cut] - box.lo[cut], (end - first) / row);
    box.hi[cut] = box.lo[cut] + rows;
    for (std::size_t d = cut + 1; d < extents.size(); ++d) box.hi[d] = extents[d];
    f(static_cast<const Box&>(box), first - begin);
    first += rows * row;
  }
}

}  // namespace tessera::detail
