// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/core/operand_walk.hpp>
#include <tessera/offset_view.hpp>
#include <tessera/slice.hpp>

// Loops over the block of a rank for stencils: first the elements that need no ghost cells, while an update is
// under way, and the others after it.
//
//   auto update = u.update_ghosts_async();
//   for_each_interior(u, step);
//   update.wait();
//   for_each_boundary(u, step);
namespace tessera {

/// A block in two: what needs no ghost cells, and the rest.
template <std::size_t N>
struct BlockParts {
  Patch<N> interior;
  std::vector<Patch<N>> boundary;  ///< slabs that do not overlap, none of them empty
};

/// Cuts slabs off a block: `low` and `high` elements wide at the two sides of each dimension. The widths are 0
/// where there is nothing to wait for, such as at a wall. The interior is empty if the block is too thin.
/// @local
template <std::size_t N>
BlockParts<N> split_block(const Patch<N>& block, const std::type_identity_t<PerDimension<index_t, N>>& low,
                          const std::type_identity_t<PerDimension<index_t, N>>& high) {
  BlockParts<N> parts{block, {}};
  Patch<N>& inside = parts.interior;
  // Slabs on both sides of each dimension, without those of the dimensions before it.
  for (std::size_t d = 0; d < N; ++d) {
    Patch<N> below = inside, above = inside;
    inside.lo[d] = below.hi[d] = std::min(block.hi[d], block.lo[d] + std::max<index_t>(0, low[d]));
    inside.hi[d] = above.lo[d] = std::max(inside.lo[d], block.hi[d] - std::max<index_t>(0, high[d]));
    for (const Patch<N>& slab : {below, above}) {
      if (!slab.empty()) parts.boundary.push_back(slab);
    }
  }
  return parts;
}

/// The elements of this rank's block that are more than `widths` away from its sides: a stencil of these widths
/// needs none of their ghost cells. Empty if the block is too thin. @local @throws UsageError as
/// Array::local_patch
template <class T, std::size_t N>
Patch<N> interior(const Array<T, N>& array, const PerDimension<index_t, N>& widths) {
  return split_block(array.local_patch(), widths, widths).interior;
}
/// The same with the widths of the array's ghost cells. @local
template <class T, std::size_t N>
Patch<N> interior(const Array<T, N>& array) {
  return interior(array, PerDimension<index_t, N>(array.layout().ghosts()));
}

/// Calls f(i, j, ...) for the positions of interior(array, widths). @local
template <class T, std::size_t N, class F>
void for_each_interior(const Array<T, N>& array, const PerDimension<index_t, N>& widths, F&& f) {
  for_each_point(interior(array, widths), f);
}
template <class T, std::size_t N, class F>
void for_each_interior(const Array<T, N>& array, F&& f) {
  for_each_point(interior(array), f);
}

/// Calls f(i, j, ...) for the other positions of this rank's block, each once. @local
template <class T, std::size_t N, class F>
void for_each_boundary(const Array<T, N>& array, const PerDimension<index_t, N>& widths, F&& f) {
  for (const Patch<N>& slab : split_block(array.local_patch(), widths, widths).boundary)
    for_each_point(slab, f);
}
template <class T, std::size_t N, class F>
void for_each_boundary(const Array<T, N>& array, F&& f) {
  for_each_boundary(array, PerDimension<index_t, N>(array.layout().ghosts()), f);
}

/// Calls f(Index, T&) for each element of this rank's block and each of its ghost cells, with the array's own
/// indices. Ghost cells beyond the ends have indices below 0 or above the extents. It does not communicate:
/// synchronise as for_each_local. @local @throws UsageError as Array::local_with_ghosts
template <class T, std::size_t N, class F>
void for_each_local_with_ghosts(Array<T, N>& array, F&& f) {
  const auto access = array.local_with_ghosts();
  const Index<N> begin = array.local_patch().lo;
  const Extents<N> widths = array.layout().ghosts();
  for_each_point(Patch<N>::whole(access.extents()), [&](auto... i) {
    const Index<N> place{i...};
    Index<N> at;
    for (std::size_t d = 0; d < N; ++d) at[d] = begin[d] - widths[d] + place[d];
    std::invoke(f, static_cast<const Index<N>&>(at), access[place]);
  });
}

/// Sets every element, and every ghost cell of every rank. @collective @throws UsageError if the array is
/// closed
template <class T, std::size_t N>
void fill_with_ghosts(Array<T, N>& array, const std::type_identity_t<T>& value) {
  detail::begin_operation("fill_with_ghosts", {slice_of(array).core()});
  for_each_local_with_ghosts(array, [&](const Index<N>&, T& element) { element = value; });
  detail::end_operation(slice_of(array).core());
}

}  // namespace tessera
