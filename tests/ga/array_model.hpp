// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <tessera/core/box.hpp>
#include <tessera/layout.hpp>
#include <tessera/view.hpp>

#include "comparison.hpp"

namespace tessera::test {

using Random = std::mt19937_64;

/// A whole number in [low, high]. The same generator gives the same number on every machine. @local
inline index_t pick(Random& random, index_t low, index_t high) {
  return low + static_cast<index_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// Calls f(Index) for every position of a patch, the last index fastest. @local
template <std::size_t N, class F>
void for_each_index(const Patch<N>& patch, F&& f) {
  if (patch.empty()) return;
  Index<N> at = patch.lo;
  for (;;) {
    f(static_cast<const Index<N>&>(at));
    std::size_t d = N;
    while (d > 0 && ++at[d - 1] == patch.hi[d - 1]) {
      at[d - 1] = patch.lo[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

/// The number of a position in row-major order. @local
template <std::size_t N>
index_t number_of(const Index<N>& at, const Extents<N>& dims) {
  index_t number = 0;
  for (std::size_t d = 0; d < N; ++d) number = number * dims[d] + at[d];
  return number;
}

template <std::size_t N>
Index<N> minus(Index<N> at, const Index<N>& origin) {
  for (std::size_t d = 0; d < N; ++d) at[d] -= origin[d];
  return at;
}

/// A patch of a box. @local
template <std::size_t N>
Patch<N> patch_of_box(const detail::Box& box) {
  Patch<N> patch;
  for (std::size_t d = 0; d < N; ++d) {
    patch.lo[d] = box.lo[d];
    patch.hi[d] = box.hi[d];
  }
  return patch;
}

/// Compares a view of a patch with expected(Index). @local
template <class T, std::size_t N, class F>
void compare_patch(Comparison& compared, const Patch<N>& patch, const View<T, N>& found, F&& expected) {
  for_each_index(patch, [&](const Index<N>& at) { compared(at, expected(at), found[minus(at, patch.lo)]); });
}

/// Any patch of an array, sometimes an empty one. @local
template <std::size_t N>
Patch<N> random_patch(Random& random, const Extents<N>& dims) {
  Patch<N> patch;
  for (std::size_t d = 0; d < N; ++d) {
    const index_t a = pick(random, 0, dims[d]), b = pick(random, 0, dims[d]);
    patch.lo[d] = std::min(a, b);
    patch.hi[d] = std::max(a, b);
    if (patch.empty() && dims[d] > 0 && pick(random, 0, 9) > 0) {
      patch.lo[d] = std::min(patch.lo[d], dims[d] - 1);
      patch.hi[d] = patch.lo[d] + 1;
    }
  }
  return patch;
}

/// Local elements at random strides: dimensions in any order, padded, some of them backwards.
template <class T, std::size_t N>
struct RandomBuffer {
  std::vector<T> storage;
  View<T, N> view;

  RandomBuffer(Random& random, const Extents<N>& extents) {
    std::array<std::size_t, N> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::reverse(order.begin(), order.end());
    if (pick(random, 0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
    std::array<index_t, N> strides{};
    index_t stride = 1, begin = 0;
    for (std::size_t d : order) {
      if (pick(random, 0, 3) == 0) stride += pick(random, 1, 3);
      strides[d] = stride;
      const index_t extent = std::max<index_t>(1, extents[d]);
      stride *= extent;
      if (pick(random, 0, 3) == 0) {
        begin += (extent - 1) * strides[d];
        strides[d] = -strides[d];
      }
    }
    storage.resize(static_cast<std::size_t>(stride));
    view = View<T, N>(storage.data() + begin, extents, strides);
  }
};

/// Block starts of one dimension, beginning with 0: at most `most` of them, some blocks may be empty. @local
inline std::vector<index_t> random_starts(Random& random, index_t extent, index_t most) {
  std::vector<index_t> starts{0};
  const index_t count = pick(random, 1, most);
  while (static_cast<index_t>(starts.size()) < count) starts.push_back(pick(random, 0, extent));
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// Disjoint blocks that cover a patch, each owned by any rank. They are made by repeated random cuts. @local
template <std::size_t N>
void random_blocks(Random& random, const Patch<N>& patch, int ranks, int cuts,
                   std::vector<OwnedPatch<N>>& blocks) {
  const auto d = static_cast<std::size_t>(pick(random, 0, N - 1));
  if (cuts == 0 || patch.empty()) {
    blocks.push_back({static_cast<int>(pick(random, 0, ranks - 1)), patch});
    return;
  }
  Patch<N> first = patch, second = patch;
  first.hi[d] = second.lo[d] = pick(random, patch.lo[d], patch.hi[d]);
  random_blocks(random, first, ranks, cuts - 1, blocks);
  random_blocks(random, second, ranks, cuts - 1, blocks);
}

/// Some of the ranks, in any order. @local
inline std::vector<int> random_members(Random& random, int count, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

/// Layouts of all kinds for this number of ranks. @local
template <std::size_t N>
std::vector<Layout<N>> layouts_of(Random& random, const Extents<N>& dims, int ranks) {
  std::vector<Layout<N>> list;
  list.push_back(Layout<N>::blocked(dims, ranks));
  list.push_back(Layout<N>::blocked(dims, ranks).with_storage(StorageOrder::column_major));
  Extents<N> grid, blocks;
  std::array<std::vector<index_t>, N> starts;
  for (int kind = 0; kind < 2; ++kind) {
    index_t left = ranks;
    std::array<std::size_t, N> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t d : order) {
      starts[d] = random_starts(random, dims[d], left);
      left /= static_cast<index_t>(starts[d].size());
    }
    auto irregular = Layout<N>::irregular(dims, starts, ranks);
    list.push_back(kind == 0 ? irregular : irregular.with_storage(StorageOrder::column_major));
    left = ranks;
    for (std::size_t d : order) {
      grid[d] = pick(random, 1, left);
      left /= grid[d];
      blocks[d] = pick(random, 1, 4);
    }
    const auto grid_order = kind == 0 ? GridOrder::row_major : GridOrder::column_major;
    const auto cyclic = Layout<N>::block_cyclic(dims, blocks, {grid, grid_order}, ranks);
    list.push_back(kind == 0 ? cyclic : cyclic.with_storage(StorageOrder::row_major));
    const auto tiled = Layout<N>::tiled(dims, blocks, {grid, grid_order}, ranks);
    list.push_back(kind == 0 ? tiled : tiled.with_storage(StorageOrder::column_major));
    for (std::size_t d = 0; d < N; ++d) {
      starts[d] = random_starts(random, dims[d], 4);
      starts[d].erase(std::unique(starts[d].begin(), starts[d].end()), starts[d].end());
      if (starts[d].size() > 1 && starts[d].back() == dims[d]) starts[d].pop_back();
    }
    list.push_back(Layout<N>::tiled(dims, starts, {grid, grid_order}, ranks));
  }
  std::vector<OwnedPatch<N>> blocks_of_list;
  random_blocks(random, Patch<N>::whole(dims), ranks, static_cast<int>(pick(random, 0, 5)), blocks_of_list);
  list.push_back(Layout<N>::of_blocks(dims, blocks_of_list, ranks));
  const int some = static_cast<int>(pick(random, 1, ranks));
  const auto fewer =
      pick(random, 0, 1) == 0
          ? Layout<N>::blocked(dims, some)
          : Layout<N>::tiled(dims, blocks, {Extents<N>(Layout<N>::blocked(dims, some).grid())}, some);
  list.push_back(fewer.on_ranks(random_members(random, some, ranks), ranks));
  Extents<N> widths;
  for (std::size_t d = 0; d < N; ++d) widths[d] = pick(random, 0, 2);
  list.push_back(list[static_cast<std::size_t>(pick(random, 0, 2))].with_ghosts(widths));
  return list;
}

}  // namespace tessera::test
