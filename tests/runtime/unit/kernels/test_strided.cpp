// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include <tessera/runtime/strided.hpp>

#include "random_transfer.hpp"

namespace {

using namespace tessera;
using tessera::test::pick;

using Pairs = std::multiset<std::pair<index_t, index_t>>;

// Which byte of the remote side belongs to which byte of the local side.
Pairs pairs(const Strided& shape) {
  Pairs all;
  test::for_each_run(shape, [&](index_t remote, index_t local) {
    for (index_t byte = 0; byte < shape.run; ++byte) all.emplace(remote + byte, local + byte);
  });
  return all;
}

TEST(Strided, merged_keeps_every_pair_of_random_patches) {
  test::Random random(1);
  int fewer = 0;
  for (int round = 0; round < 3000; ++round) {
    const test::RandomTransfer transfer(random, 700, pick(random, 1, 8));
    const Strided m = transfer.shape.merged();
    ASSERT_EQ(pairs(m), pairs(transfer.shape)) << "round " << round;
    EXPECT_LE(m.levels, transfer.shape.levels);
    EXPECT_EQ(m.bytes(), transfer.shape.bytes());
    for (std::size_t l = 0; l < static_cast<std::size_t>(m.levels); ++l) {
      EXPECT_GT(m.count[l], 1);
      if (l > 0) {
        EXPECT_LE(std::abs(m.remote_stride[l - 1]), std::abs(m.remote_stride[l]));
      }
    }
    fewer += static_cast<int>(m.levels < transfer.shape.levels);
  }
  EXPECT_GT(fewer, 300);
}

TEST(Strided, merged_keeps_every_pair_of_any_strides) {
  test::Random random(2);
  for (int round = 0; round < 3000; ++round) {
    Strided shape;
    shape.run = pick(random, 1, 4);
    shape.levels = static_cast<int>(pick(random, 0, max_rank));
    for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
      shape.count[l] = pick(random, 0, 20) == 0 ? 0 : pick(random, 1, 3);
      shape.remote_stride[l] = pick(random, -12, 12);
      shape.local_stride[l] = pick(random, 0, 1) == 0 ? shape.remote_stride[l] : pick(random, -12, 12);
    }
    ASSERT_EQ(pairs(shape.merged()), pairs(shape)) << "round " << round;
  }
}

TEST(Strided, merged_joins_loops_that_continue_each_other) {
  // A dense 3 x 4 x 5 block of 8-byte elements is one run.
  const Strided dense{
      .run = 8, .levels = 3, .count = {5, 4, 3}, .remote_stride = {8, 40, 160}, .local_stride = {8, 40, 160}};
  EXPECT_EQ(dense.merged().levels, 0);
  EXPECT_EQ(dense.merged().run, 480);
  // Rows of 5 in lines of 10 on the remote side: one loop of 12 runs of 40 bytes.
  const Strided rows{
      .run = 8, .levels = 3, .count = {5, 4, 3}, .remote_stride = {8, 80, 320}, .local_stride = {8, 40, 160}};
  EXPECT_EQ(rows.merged().levels, 1);
  EXPECT_EQ(rows.merged().run, 40);
  EXPECT_EQ(rows.merged().count[0], 12);
  EXPECT_EQ(rows.merged().remote_stride[0], 80);
  EXPECT_EQ(rows.merged().local_stride[0], 40);
  // Nothing at all.
  const Strided none{.run = 8, .levels = 2, .count = {5, 0}, .remote_stride = {8, 40}, .local_stride = {8, 40}};
  EXPECT_EQ(none.bytes(), 0);
  EXPECT_EQ(none.merged().bytes(), 0);
  EXPECT_EQ(Strided::contiguous(17).bytes(), 17);
  // Sizes beyond 32 bits.
  const Strided large{.run = index_t{1} << 20,
                      .levels = 1,
                      .count = {index_t{1} << 20},
                      .remote_stride = {index_t{1} << 20},
                      .local_stride = {index_t{1} << 20}};
  EXPECT_EQ(large.merged().run, index_t{1} << 40);
}

}  // namespace
