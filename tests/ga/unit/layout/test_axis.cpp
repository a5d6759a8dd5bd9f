// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include <tessera/core/axis.hpp>

#include "array_model.hpp"

// One dimension divided over parts, compared with the part of every single element.
namespace {

using namespace tessera;
using namespace tessera::test;
using detail::Axis;
using detail::Interval;

auto tuple_of(const Interval& interval) {
  return std::tuple(interval.part, interval.begin, interval.end, interval.local_begin);
}

// The blocks of an axis in the order of their elements, and the part of each. Neighbours of one part are not
// joined.
struct AxisBlocks {
  std::vector<index_t> starts;
  std::vector<int> parts;
};

// Everything that an axis reports, from its blocks alone. `joins`: the only part has one interval.
void check_axis(const Axis& axis, const AxisBlocks& blocks, index_t extent, int parts, bool joins) {
  EXPECT_EQ(axis.extent(), extent);
  EXPECT_EQ(axis.parts(), parts);
  std::vector<index_t> counts(static_cast<std::size_t>(parts), 0);
  std::vector<std::vector<Interval>> intervals(static_cast<std::size_t>(parts));
  for (std::size_t b = 0; b < blocks.starts.size(); ++b) {
    const index_t begin = blocks.starts[b], end = b + 1 < blocks.starts.size() ? blocks.starts[b + 1] : extent;
    const auto part = static_cast<std::size_t>(blocks.parts[b]);
    if (begin < end) intervals[part].push_back({blocks.parts[b], begin, end, counts[part]});
    counts[part] += end - begin;
  }
  if (joins && extent > 0) intervals[0] = {{0, 0, extent, 0}};
  Comparison compared;
  for (int part = 0; part < parts; ++part) {
    const auto& expected = intervals[static_cast<std::size_t>(part)];
    EXPECT_EQ(axis.count(part), counts[static_cast<std::size_t>(part)]) << part;
    index_t next = 0;
    for (index_t b = 0; b < axis.intervals(part); ++b) {
      const Interval found = axis.interval(part, b);
      if (found.begin == found.end) continue;  // blocks of irregular axes may be empty
      ASSERT_LT(next, static_cast<index_t>(expected.size())) << part;
      compared(part, tuple_of(expected[static_cast<std::size_t>(next++)]), tuple_of(found));
    }
    EXPECT_EQ(next, static_cast<index_t>(expected.size())) << part;
    for (const Interval& interval : expected) {
      for (index_t i = interval.begin; i < interval.end; ++i)
        compared(i, tuple_of(interval), tuple_of(axis.find(i)));
    }
  }
  EXPECT_TRUE(compared.equal());
}

AxisBlocks dealt_out(const std::vector<index_t>& starts, int parts) {
  AxisBlocks blocks{starts, {}};
  for (std::size_t b = 0; b < starts.size(); ++b)
    blocks.parts.push_back(static_cast<int>(b % static_cast<std::size_t>(parts)));
  return blocks;
}

TEST(Axis, even_blocks_differ_by_one_element_and_the_larger_come_first) {
  for (index_t extent = 0; extent <= 25; ++extent) {
    for (int parts = 1; parts <= 9; ++parts) {
      SCOPED_TRACE(testing::Message() << extent << " elements in " << parts);
      std::vector<index_t> starts;
      for (int part = 0; part < parts; ++part)
        starts.push_back(extent / parts * part + std::min<index_t>(part, extent % parts));
      check_axis(Axis::blocked(extent, parts), dealt_out(starts, parts), extent, parts, parts == 1);
    }
  }
}

TEST(Axis, irregular_blocks_begin_at_their_starts) {
  Random random(31);
  for (int round = 0; round < 300; ++round) {
    const index_t extent = pick(random, 0, 30);
    const auto starts = random_starts(random, extent, 8);
    SCOPED_TRACE(testing::Message() << extent << " elements, " << testing::PrintToString(starts));
    const auto parts = static_cast<int>(starts.size());
    check_axis(Axis::irregular(extent, starts), dealt_out(starts, parts), extent, parts, parts == 1);
  }
}

TEST(Axis, cyclic_blocks_are_dealt_out_in_turn) {
  for (index_t extent = 0; extent <= 25; ++extent) {
    for (index_t block = 1; block <= 7; ++block) {
      for (int parts = 1; parts <= 5; ++parts) {
        SCOPED_TRACE(testing::Message() << extent << " elements in blocks of " << block << " on " << parts);
        std::vector<index_t> starts;
        for (index_t begin = 0; begin < extent; begin += block) starts.push_back(begin);
        const AxisBlocks blocks = dealt_out(starts, parts);
        const Axis axis = Axis::cyclic(extent, block, parts);
        check_axis(axis, blocks, extent, parts, parts == 1);
        check_axis(axis.with_tiles(), blocks, extent, parts, false);
        EXPECT_EQ(axis.with_tiles().blocks(), static_cast<index_t>(starts.size()));
      }
    }
  }
}

TEST(Axis, blocks_of_different_sizes_are_dealt_out_in_turn) {
  Random random(32);
  for (int round = 0; round < 300; ++round) {
    const index_t extent = pick(random, 1, 30);
    auto starts = random_starts(random, extent - 1, 9);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    const auto parts = static_cast<int>(pick(random, 1, 4));
    SCOPED_TRACE(testing::Message() << extent << ", " << testing::PrintToString(starts) << " on " << parts);
    const AxisBlocks blocks = dealt_out(starts, parts);
    const Axis axis = Axis::dealt(extent, starts, parts);
    check_axis(axis, blocks, extent, parts, parts == 1);
    check_axis(axis.with_tiles(), blocks, extent, parts, false);
    EXPECT_EQ(axis.with_tiles().blocks(), static_cast<index_t>(starts.size()));
  }
}

TEST(Axis, neighbouring_blocks_of_the_only_part_are_one_unless_they_are_tiles) {
  const Axis one = Axis::cyclic(10, 3, 1);
  EXPECT_EQ(one.blocks(), 1);
  EXPECT_EQ(one.with_tiles().blocks(), 4);
  EXPECT_EQ(Axis::cyclic(0, 3, 1).blocks(), 0);
  EXPECT_EQ(Axis::cyclic(10, 3, 2).blocks(), 4);
  EXPECT_EQ(Axis::blocked(10, 3).blocks(), 3);
}

TEST(Axis, two_are_equal_if_they_were_made_alike) {
  const Axis axis = Axis::dealt(10, {0, 3, 7}, 2);
  EXPECT_TRUE(axis == Axis::dealt(10, {0, 3, 7}, 2));
  EXPECT_FALSE(axis == Axis::dealt(10, {0, 3, 6}, 2));
  EXPECT_FALSE(axis == Axis::dealt(11, {0, 3, 7}, 2));
  EXPECT_FALSE(axis == Axis::dealt(10, {0, 3, 7}, 3));
  EXPECT_FALSE(axis == axis.with_tiles());
  EXPECT_TRUE(Axis::cyclic(10, 3, 2) == Axis::cyclic(10, 3, 2));
  EXPECT_FALSE(Axis::cyclic(10, 3, 2) == Axis::cyclic(10, 4, 2));
  EXPECT_FALSE(Axis::blocked(10, 2) == Axis::irregular(10, {0, 5}));
}

TEST(Axis, extents_may_be_the_largest_number) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  const Axis cyclic = Axis::cyclic(most, most / 2, 3), blocked = Axis::blocked(most, 2);
  // AxisBlocks of (2^63 - 2) / 2 elements, and one element that is left.
  EXPECT_EQ(tuple_of(cyclic.find(most - 2)), std::tuple(1, most / 2, most - 1, index_t{0}));
  EXPECT_EQ(tuple_of(cyclic.find(most - 1)), std::tuple(2, most - 1, most, index_t{0}));
  EXPECT_EQ(cyclic.count(2), 1);
  EXPECT_EQ(tuple_of(blocked.find(most - 1)), std::tuple(1, most / 2 + 1, most, index_t{0}));
  EXPECT_EQ(blocked.count(0), most / 2 + 1);
}

}  // namespace
