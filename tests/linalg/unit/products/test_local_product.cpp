// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comparison.hpp"
#include "products/local_product.hpp"

// The tiles of a symmetric product, checked tile by tile and index by index.
namespace tessera::test {
namespace {

using linalg::detail::IndexRun;
using linalg::detail::IndexSet;
using linalg::detail::TileRange;
using linalg::detail::Tiles;

TEST(Tiles, alternate_so_that_one_of_each_mirrored_pair_is_computed) {
  const Tiles all{}, lower{Tiles::Part::lower, 4}, alternate{Tiles::Part::alternate, 4};
  Comparison compared;
  for (index_t i = 0; i < 20; ++i) {
    for (index_t j = 0; j < 20; ++j) {
      const std::pair at(i, j);
      compared(at, true, all.wants(i, j));
      compared(at, i >= j, lower.wants(i, j));
      compared(at, i == j || !alternate.wants(j, i), alternate.wants(i, j));
    }
  }
  EXPECT_TRUE(compared.equal());
}

TEST(Tiles, alternate_so_that_every_row_has_about_half_of_them) {
  const Tiles alternate{Tiles::Part::alternate, 4};
  for (index_t i = 0; i < 20; ++i) {
    int wanted = 0;
    for (index_t j = 0; j < 20; ++j) wanted += alternate.wants(i, j) ? 1 : 0;
    EXPECT_NEAR(wanted, 10, 1) << "row " << i;
  }
}

TEST(TileRanges, hold_the_indices_of_one_tile_each) {
  IndexSet set(3, 10);
  for (const IndexRun& run : {IndexRun{15, 1}, {17, 2}, {30, 9}, {100, 1}}) set.add(run);
  for (const index_t size : {1, 2, 4, 7, 1000}) {
    SCOPED_TRACE(testing::Message() << "tiles of " << size);
    index_t next = 0, before = -1;
    for (const TileRange& range : linalg::detail::tile_ranges(set, size)) {
      EXPECT_EQ(range.offset, next);
      EXPECT_GT(range.number, before) << "two ranges of one tile";
      Comparison compared;
      const IndexSet part = set.part(range.offset, range.count);
      for (const IndexRun& run : part.runs()) {
        for (index_t i = run.begin; i < run.end(); ++i) compared(i, range.number, i / size);
      }
      EXPECT_TRUE(compared.equal());
      next += range.count;
      before = range.number;
    }
    EXPECT_EQ(next, set.size());
  }
  EXPECT_TRUE(linalg::detail::tile_ranges(IndexSet(), 4).empty());
}

}  // namespace
}  // namespace tessera::test
