// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <tessera/layout.hpp>
#include <tessera/view.hpp>

namespace tessera::test {

using Random = std::mt19937_64;

/// A whole number in [low, high], the same on every machine for the same generator. @local
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

/// Block starts of one dimension: 0 first, at most `most` of them, blocks of any size and none. @local
inline std::vector<index_t> random_starts(Random& random, index_t extent, index_t most) {
  std::vector<index_t> starts{0};
  const index_t count = pick(random, 1, most);
  while (static_cast<index_t>(starts.size()) < count) starts.push_back(pick(random, 0, extent));
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// Layouts of all kinds for as many ranks. @local
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
  }
  return list;
}

}  // namespace tessera::test
