// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/index.hpp>
#include <tessera/view.hpp>

namespace tessera::benchmark::arrays {

template <std::size_t N>
Index<N> index_of(index_t number, const Extents<N>& extents) {
  Index<N> at;
  for (std::size_t d = N; d-- > 0; number /= extents[d]) at[d] = number % extents[d];
  return at;
}

/// A block and its ghost cells, on one rank: where it is in the array, and what the cells should hold.
template <std::size_t N>
struct Block {
  Extents<N> dims, extents;  // of the array; of the block with its ghost cells
  Index<N> lo;               // of the block
  index_t width;

  int outside(const Index<N>& at) const {
    int count = 0;
    for (std::size_t d = 0; d < N; ++d) count += at[d] < width || at[d] >= extents[d] - width ? 1 : 0;
    return count;
  }
  double value(const Index<N>& at) const {
    index_t number = 0;
    for (std::size_t d = 0; d < N; ++d) number = number * dims[d] + (lo[d] + at[d] - width + dims[d]) % dims[d];
    return static_cast<double>(number);
  }
  /// Sets the block's own cells, and the others to -1.
  void set(View<double, N> cells) const {
    for (index_t i = 0; i < extents.size(); ++i) {
      const Index<N> at = index_of(i, extents);
      cells[at] = outside(at) == 0 ? value(at) : -1.0;
    }
  }
  bool holds(View<const double, N> cells, bool corners) const {
    for (index_t i = 0; i < extents.size(); ++i) {
      const Index<N> at = index_of(i, extents);
      if (outside(at) > 1 && !corners) continue;
      if (cells[at] != value(at)) return false;
    }
    return true;
  }
};

}  // namespace tessera::benchmark::arrays
