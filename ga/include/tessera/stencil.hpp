// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>

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

/// The elements of this rank's block that are more than `widths` away from its sides: a stencil of these widths
/// needs none of their ghost cells. Empty if the block is too thin. @local @throws UsageError as
/// Array::local_patch
template <class T, std::size_t N>
Patch<N> interior(const Array<T, N>& array, const PerDimension<index_t, N>& widths) {
  Patch<N> inside = array.local_patch();
  for (std::size_t d = 0; d < N; ++d) {
    const index_t width = std::max<index_t>(0, widths[d]);
    inside.lo[d] = std::min(inside.hi[d], inside.lo[d] + width);
    inside.hi[d] = std::max(inside.lo[d], inside.hi[d] - width);
  }
  return inside;
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
  const Patch<N> inside = interior(array, widths);
  Patch<N> rest = array.local_patch();
  // Slabs on both sides of each dimension, without those of the dimensions before it.
  for (std::size_t d = 0; d < N; ++d) {
    Patch<N> low = rest, high = rest;
    low.hi[d] = inside.lo[d];
    high.lo[d] = inside.hi[d];
    for_each_point(low, f);
    for_each_point(high, f);
    rest.lo[d] = inside.lo[d];
    rest.hi[d] = inside.hi[d];
  }
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
