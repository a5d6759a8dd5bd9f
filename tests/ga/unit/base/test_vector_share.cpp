// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/vector_share.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace tessera;
using detail::VectorShare;

void check_shares_of(index_t extent, int ranks) {
  index_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const VectorShare share(extent, rank, ranks);
    EXPECT_EQ(share.lo, next) << rank;
    EXPECT_EQ(share.size(), extent / ranks + (rank < extent % ranks ? 1 : 0)) << rank;
    next = share.hi;
  }
  EXPECT_EQ(next, extent) << ranks;
}

TEST(VectorShare, shares_are_even_and_follow_one_another) {
  for (index_t extent = 0; extent <= 30; ++extent) {
    for (int ranks = 1; ranks <= 9; ++ranks) check_shares_of(extent, ranks);
  }
}

TEST(VectorShare, the_largest_extent_does_not_overflow) {
  for (const int ranks : {1, 2, 7, 1000}) check_shares_of(std::numeric_limits<index_t>::max(), ranks);
}

}  // namespace
