// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/elementwise.hpp>

#include "layouts.hpp"

// All the ways to access the elements of this rank and the ghost cells around them.
namespace tessera::stress {

/// Calls f(position, element) for the elements of a view, whose first is at `corner`.
template <class T, std::size_t N, class F>
void for_each_in_view(const Index<N>& corner, const View<T, N>& view, F&& f) {
  for (Numbers at : positions(stress::from(view.extents()))) {
    T& value = view[to<Index<N>>(at)];
    for (std::size_t d = 0; d < N; ++d) at[d] += corner[d];
    f(at, value);
  }
}

/// The same for the elements of this rank, "each" by itself or in blocks. With "node", it is for the elements
/// of all ranks that share memory with this rank.
template <class T, std::size_t N, class F>
void for_each_found(const Array<T, N>& array, const std::string& how, F&& f) {
  if (how == "each")
    return for_each_local(array, [&](const Index<N>& at, const T& value) { f(stress::from(at), value); });
  const Layout<N> layout = array.layout();
  for (int rank = 0; rank < array.group().size(); ++rank) {
    if (rank != array.group().rank() && (how != "node" || !array.group().on_node(rank))) continue;
    for (index_t b = 0; b < layout.block_count(rank); ++b) {
      const auto access = array.block_of(rank, b);
      for_each_in_view<const T, N>(layout.block(rank, b).lo, access.view(), f);
    }
  }
}

/// Calls f(position, element) for the elements of this rank, which it may write. They come "each" by itself, in
/// "blocks", or all of its memory as a "whole" where the layout allows it.
template <class T, std::size_t N, class F>
void write_elements(Array<T, N>& array, const std::string& how, F&& f) {
  const Layout<N> layout = array.layout();
  const int me = array.group().rank();
  if (how == "each" || (how == "whole" && layout.block_count(me) > 1))
    return for_each_local(array, [&](const Index<N>& at, T& here) { f(stress::from(at), here); });
  for (index_t b = 0; b < layout.block_count(me); ++b) {
    const auto access = how == "whole" ? array.local() : array.local_block(b);
    for_each_in_view<T, N>(layout.block(me, b).lo, access.view(), f);
  }
}

inline Corners corners_of(const Line& line) {
  return line.number("corners", 1) != 0 ? Corners::with : Corners::without;
}

template <class T, std::size_t N>
void update_ghosts(Array<T, N>& array, const Line& line) {
  if (line.has("dimension"))
    return array.update_ghosts_along(static_cast<int>(line.number("dimension")),
                                     static_cast<Side>(line.number("side", 2)), corners_of(line));
  array.update_ghosts(corners_of(line), static_cast<GhostMethod>(line.number("method")));
}

inline void end_update(std::optional<GhostUpdate>& update, bool tests) {
  while (tests && !update->test()) {
  }
  update->wait();
  update.reset();
}

/// Calls f(position, element) for the block of this rank and the cells around it, and returns the bounds of the
/// block in `block`.
template <class T, std::size_t N, class F>
void for_each_with_ghosts(const Array<T, N>& array, Part& block, F&& f) {
  const Patch<N> mine = array.layout().block(array.group().rank());
  if (mine.empty()) return;
  block.lo = stress::from(mine.lo);
  block.hi = stress::from(mine.hi);
  Index<N> corner = mine.lo;
  for (std::size_t d = 0; d < N; ++d) corner[d] -= array.layout().ghosts()[d];
  const auto access = array.local_with_ghosts();
  for_each_in_view<const T, N>(corner, access.view(), f);
}

}  // namespace tessera::stress
