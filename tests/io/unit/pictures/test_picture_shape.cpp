// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <random>

#include <gtest/gtest.h>

#include "pictures/picture_shape.hpp"

namespace {

using tessera::index_t;
using tessera::io::detail::PictureSide;
using tessera::io::detail::shape_of_picture;

TEST(PictureShape, fits_every_matrix) {
  std::mt19937_64 random(2);
  const auto pick = [&](index_t low, index_t high) {
    return low + static_cast<index_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 20000; ++round) {
    const index_t rows = pick(1, index_t{1} << pick(0, 40)), columns = pick(1, index_t{1} << pick(0, 40));
    const int most = static_cast<int>(pick(32, round % 2 == 0 ? 16384 : 100));
    const auto shape = shape_of_picture(rows, columns, {.most_pixels = most});
    index_t longest = 0;
    for (const PictureSide& side : shape.sides) {
      ASSERT_GE(side.block, 1);
      ASSERT_GE(side.zoom, 1);
      ASSERT_GE(side.pixels(), 16) << rows << " x " << columns << " in " << most;
      ASSERT_LE(side.pixels(), most) << rows << " x " << columns;
      // All elements are in cells, and none of the cells is empty.
      ASSERT_GE(side.cells() * side.block, side.extent);
      ASSERT_GE(side.elements_in(side.cells() - 1), 1);
      longest = std::max(longest, side.pixels());
    }
    ASSERT_GE(longest, std::min<index_t>(400, most) / 2) << rows << " x " << columns << " in " << most;
  }
}

TEST(PictureShape, keeps_the_form_of_a_matrix) {
  const auto shape = shape_of_picture(30000, 50000, {});
  EXPECT_EQ(shape.rows().block, shape.columns().block);
  EXPECT_EQ(shape.columns().block, 25);
  const auto small = shape_of_picture(20, 30, {});
  EXPECT_EQ(small.rows().zoom, 14);
  EXPECT_EQ(small.columns().zoom, 14);
}

}  // namespace
