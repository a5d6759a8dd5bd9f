// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/tiling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "array_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;
using detail::Box;
using detail::box_of;
using detail::ByStride;
using detail::Coordinates;

std::vector<std::size_t> list_of_dimensions(const ByStride& order) { return {order.begin(), order.end()}; }

TEST(ByStride, has_dimensions_of_several_elements_from_the_smallest_stride_on) {
  const Box box = box_of(Patch<4>{{0, 5, 2, 0}, {3, 6, 9, 4}});
  EXPECT_EQ(list_of_dimensions(ByStride(box, {7, 1, 100, 3}, 4)), (std::vector<std::size_t>{3, 0, 2}));
  EXPECT_EQ(list_of_dimensions(ByStride(box, {5, 5, 5, 5}, 4)), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(ByStride(box, {1, 1, 1, 1}, 2).size(), 1U);
}

// Strides of the elements of a box, stored densely with the dimensions in random order.
template <std::size_t N>
Coordinates random_strides(Random& random, const Extents<N>& extents) {
  std::array<std::size_t, N> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Coordinates strides{};
  index_t stride = 1;
  for (const std::size_t d : order) {
    strides[d] = stride;
    stride *= extents[d];
  }
  return strides;
}

TEST(Tiling, covers_the_box_once_with_tiles_that_are_small_enough) {
  Random random(61);
  for (int round = 0; round < 300; ++round) {
    const Extents<3> dims(pick(random, 1, 12), pick(random, 1, 12), pick(random, 1, 12));
    const Patch<3> whole = Patch<3>::whole(dims);
    const Box box = box_of(whole);
    const std::array orders{ByStride(box, random_strides(random, dims), 3),
                            ByStride(box, random_strides(random, dims), 3)};
    const index_t most = pick(random, 1, 200);
    std::vector<int> visits(static_cast<std::size_t>(dims.size()), 0);
    detail::Tiling(box, 3, orders, most).for_each([&](const Box& tile) {
      const auto patch = patch_of_box<3>(tile);
      EXPECT_LE(patch.size(), most);
      for_each_index(patch,
                     [&](const Index<3>& at) { ++visits[static_cast<std::size_t>(number_of(at, dims))]; });
    });
    Comparison compared;
    for_each_index(whole, [&](const Index<3>& at) {
      compared(at, 1, visits[static_cast<std::size_t>(number_of(at, dims))]);
    });
    EXPECT_TRUE(compared.equal());
  }
}

TEST(Tiling, tiles_of_a_transposition_are_squares) {
  const Box box = box_of(Patch<2>::whole({64, 64}));
  const std::array orders{ByStride(box, {64, 1}, 2), ByStride(box, {1, 64}, 2)};
  int tiles = 0;
  detail::Tiling(box, 2, orders, 256).for_each([&](const Box& tile) {
    EXPECT_EQ(tile.hi[0] - tile.lo[0], 16);
    EXPECT_EQ(tile.hi[1] - tile.lo[1], 16);
    ++tiles;
  });
  EXPECT_EQ(tiles, 16);
}

}  // namespace
