// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <tessera/core/slice_core.hpp>
#include <tessera/slice.hpp>

namespace tessera::detail {

/// This rank's elements of a slice, with the ghost cells around them.
template <class T, std::size_t N>
struct Cells {
  Patch<N> block, all;  // in indices of the array
  View<T, N> view;      // of all
  Extents<N> dims;
  std::array<bool, N> periodic{};

  /// The first and last ghost cells of a dimension that are not beyond its ends: from first to below last. All
  /// are inside along periodic dimensions. @local
  std::array<index_t, 2> inside(std::size_t d) const noexcept {
    if (periodic[d]) return {all.lo[d], all.hi[d]};
    return {std::max<index_t>(all.lo[d], 0), std::min(all.hi[d], dims[d])};
  }
  /// How many ghost cells on a side are beyond an end of a dimension that is not periodic. Some may be so
  /// although the block does not touch the end, if the last block is thin. @local
  index_t beyond(std::size_t d, bool high) const noexcept {
    const auto [first, last] = inside(d);
    return high ? all.hi[d] - last : first - all.lo[d];
  }
  /// Where the element at a position is in memory. @local
  T* place_of(const Index<N>& at) const noexcept {
    index_t place = 0;
    for (std::size_t d = 0; d < N; ++d) place += (at[d] - all.lo[d]) * view.stride(d);
    return view.data_handle() + place;
  }
  /// A position, inside the array along periodic dimensions. @local
  Index<N> wrapped(Index<N> at) const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      if (periodic[d]) at[d] = ((at[d] % dims[d]) + dims[d]) % dims[d];
    }
    return at;
  }
};

/// The same with a run-time rank. Strides are in elements of the slice.
struct CellsCore {
  Box block, all;
  std::byte* data;
  Coordinates strides;
};
/// @local @throws UsageError if the slice is permuted or stepped, or cut where there are ghost cells; or if
/// this rank has several blocks
CellsCore find_cells(const SliceCore& slice, std::string_view call);
[[noreturn]] void throw_thin_block(const SliceCore& slice, int dimension, index_t there, index_t needed);

template <class T, std::size_t N>
Cells<T, N> cells_of(const SliceCore& slice, std::string_view call) {
  const CellsCore found = find_cells(slice, call);
  Cells<T, N> cells;
  Extents<N> extents;
  std::array<index_t, N> strides{};
  for (std::size_t d = 0; d < N; ++d) {
    cells.block.lo[d] = found.block.lo[d], cells.block.hi[d] = found.block.hi[d];
    cells.all.lo[d] = found.all.lo[d], cells.all.hi[d] = found.all.hi[d];
    extents[d] = found.all.hi[d] - found.all.lo[d];
    strides[d] = found.strides[d];
    cells.dims[d] = slice.array().layout().dims()[d];
    cells.periodic[d] = slice.array().periodic()[d];
  }
  cells.view = View<T, N>(reinterpret_cast<T*>(found.data), extents, strides);
  return cells;
}

/// Calls f(Index) for every position of a patch. @local
template <std::size_t N, class F>
void for_each_index_of(const Patch<N>& patch, F&& f) {
  if (patch.empty()) return;
  Index<N> at = patch.lo;
  for (;;) {
    f(static_cast<const Index<N>&>(at));
    std::size_t d = N;
    while (d > 0 && ++at[d - 1] == patch.hi[d - 1]) at[d - 1] = patch.lo[d - 1], --d;
    if (d == 0) return;
  }
}

}  // namespace tessera::detail
