// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/overlap.hpp"
#include "random_transfer.hpp"

// Whether the two sides of a transfer share memory.
namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::detail::Range;

// Both sides of a random shape, with strides of any sign.
Strided any_shape(Random& random) {
  Strided shape;
  shape.run = pick(random, 1, 6);
  shape.levels = static_cast<int>(pick(random, 0, 4));
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    shape.count[l] = pick(random, 1, 3);
    shape.remote_stride[l] = pick(random, -20, 20);
    shape.local_stride[l] = pick(random, -20, 20);
  }
  return shape;
}

// The bytes of both sides, counted from the first element.
void bytes_of_sides(const Strided& shape, std::set<index_t>& remote, std::set<index_t>& local) {
  test::for_each_run(shape, [&](index_t there, index_t here) {
    for (index_t byte = 0; byte < shape.run; ++byte) {
      remote.insert(there + byte);
      local.insert(here + byte);
    }
  });
}

TEST(OverlapRange, has_the_first_and_the_last_byte) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    const Strided shape = any_shape(random);
    std::set<index_t> remote, local;
    bytes_of_sides(shape, remote, local);
    Range range;
    ASSERT_TRUE(detail::range_of(shape, shape.remote_stride, 100, range));
    EXPECT_EQ(range.low, 100 + *remote.begin()) << "round " << round;
    EXPECT_EQ(range.high, 101 + *remote.rbegin()) << "round " << round;
  }
}

TEST(OverlapRange, is_refused_where_a_number_does_not_fit_or_a_length_is_not_positive) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  Range range;
  Strided shape{.run = 8, .levels = 1, .count = {3}, .remote_stride = {most / 4}, .local_stride = {8}};
  EXPECT_TRUE(detail::range_of(shape, shape.remote_stride, 0, range));
  EXPECT_FALSE(detail::range_of(shape, shape.remote_stride, most / 2, range)) << "its end";
  shape.remote_stride[0] = most / 2 + 1;
  EXPECT_FALSE(detail::range_of(shape, shape.remote_stride, 0, range)) << "its length";
  shape.remote_stride[0] = -(most / 2) - 9;
  EXPECT_FALSE(detail::range_of(shape, shape.remote_stride, -9, range)) << "its beginning";
  shape.remote_stride[0] = 8;
  EXPECT_FALSE(detail::range_of(shape, shape.remote_stride, most - 7, range)) << "its run";
  for (const index_t count : {0, -1}) {
    shape.count[0] = count;
    EXPECT_FALSE(detail::range_of(shape, shape.remote_stride, 0, range));
  }
  EXPECT_FALSE(detail::range_of(Strided::contiguous(0), shape.remote_stride, 0, range));
  EXPECT_FALSE(detail::range_of(Strided::contiguous(-8), shape.remote_stride, 0, range));
}

TEST(Overlap, is_found_where_both_sides_share_a_byte) {
  Random random(2);
  const std::vector<std::byte> memory(2000);
  int shared = 0, apart = 0;
  for (int round = 0; round < 1000; ++round) {
    const Strided shape = any_shape(random);
    const index_t shift = pick(random, -80, 80);
    std::set<index_t> remote, local;
    bytes_of_sides(shape, remote, local);
    bool shares = false;
    for (const index_t byte : local) shares = shares || remote.contains(byte + shift);
    const std::byte* there = memory.data() + 1000;
    const bool found = detail::overlap(there, there + shift, shape);
    EXPECT_TRUE(found || !shares) << "round " << round;
    shared += static_cast<int>(shares);
    apart += static_cast<int>(!found);
  }
  EXPECT_GT(shared, 100);
  EXPECT_GT(apart, 100);
  const Strided run = Strided::contiguous(8);
  EXPECT_FALSE(detail::overlap(memory.data(), memory.data() + 8, run)) << "neighbours";
  EXPECT_TRUE(detail::overlap(memory.data(), memory.data() + 7, run));
}

TEST(Overlap, is_not_found_for_columns_side_by_side) {
  // The first and the last column of a matrix of 10 x 64 B, and those of 8 and 16 B beside each other.
  const std::vector<std::byte> memory(640);
  const auto columns = [&](index_t run, index_t second) {
    return detail::overlap(
        memory.data(), memory.data() + second,
        {.run = run, .levels = 1, .count = {10}, .remote_stride = {64}, .local_stride = {64}});
  };
  EXPECT_FALSE(columns(8, 56));
  EXPECT_FALSE(columns(8, 8));
  EXPECT_FALSE(columns(16, 48));
  EXPECT_TRUE(columns(16, 8));
  EXPECT_TRUE(columns(16, 56)) << "it reaches into the next row, where the other column begins";
}

TEST(LocalCopy, gives_back_what_it_read_and_leaves_gaps) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const RandomTransfer t(random, 500, pick(random, 1, 8));
    std::vector<std::byte> source(static_cast<std::size_t>(t.local_bytes)), target(source.size(), std::byte{1});
    for (std::byte& byte : source) byte = static_cast<std::byte>(pick(random, 2, 255));
    auto expected = target;
    test::for_each_run(t.shape, [&](index_t, index_t here) {
      std::copy_n(source.begin() + t.local_begin + here, t.shape.run, expected.begin() + t.local_begin + here);
    });
    detail::LocalCopy copy(t.shape);
    copy.read(source.data() + t.local_begin);
    copy.write(target.data() + t.local_begin);
    ASSERT_EQ(target, expected) << "round " << round;
  }
}

}  // namespace
