// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "conflicts/accesses.hpp"
#include "conflicts/granules.hpp"

namespace {

using tessera::index_t;
using namespace tessera::detail::conflicts;

using Words = std::set<index_t>;

Words words_of(const std::vector<ByteRange>& ranges) {
  Words words;
  for (const ByteRange& range : ranges)
    for (index_t at = range.low; at < range.high; at += 4) words.insert(at);
  return words;
}

void expect_in_order(const std::vector<ByteRange>& ranges) {
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LT(ranges[i - 1].high, ranges[i].low);
}

TEST(Granules, are_the_union_of_what_was_added) {
  std::mt19937_64 random(5);
  for (const index_t extent : {300, 5'000, 4'000'000}) {
    Granules granules;
    std::vector<ByteRange> added;
    for (int i = 0; i < 1000; ++i) {
      const index_t low = 4 * static_cast<index_t>(random() % static_cast<std::uint64_t>(extent / 4));
      const index_t high = low + 4 * static_cast<index_t>(1 + random() % 64);
      ASSERT_TRUE(granules.add({low, high}));
      added.push_back({low, high});
    }
    EXPECT_GT(granules.bytes_of_memory(), 0);
    const std::vector<ByteRange> ranges = granules.take();
    expect_in_order(ranges);
    EXPECT_EQ(words_of(ranges), words_of(added));
    EXPECT_TRUE(granules.is_empty());
    EXPECT_TRUE(granules.take().empty());
  }
}

TEST(Granules, refuse_long_and_uneven_ranges) {
  Granules granules;
  EXPECT_FALSE(granules.add({0, 260}));
  EXPECT_FALSE(granules.add({2, 8}));
  EXPECT_FALSE(granules.add({4, 7}));
  EXPECT_TRUE(granules.is_empty());
  EXPECT_TRUE(granules.add({252, 508}));  // in two blocks, and as long as one
  EXPECT_EQ(granules.take(), (std::vector<ByteRange>{{252, 508}}));
}

// Ranges of all kinds, many and few, give the same bytes as a list of them.
TEST(Granules, of_an_access_are_compressed_into_its_ranges) {
  std::mt19937_64 random(6);
  for (const int count : {10, 100, 1500}) {
    Access access;
    std::set<index_t> bytes;
    for (int i = 0; i < count; ++i) {
      const auto low = static_cast<index_t>(random() % 30'000), long_run = static_cast<index_t>(random() % 400);
      const ByteRange range = i % 3 == 0   ? ByteRange{low, low + 1 + long_run}
                              : i % 3 == 1 ? ByteRange{low & ~7, (low & ~7) + 8}
                                           : ByteRange{low & ~3, (low & ~3) + 4};
      access.add(footprint_of(range));
      for (index_t at = range.low; at < range.high; ++at) bytes.insert(at);
    }
    access.compress();
    std::set<index_t> found;
    for (const ByteRange& range : access.ranges)
      for (index_t at = range.low; at < range.high; ++at) found.insert(at);
    expect_in_order(access.ranges);
    EXPECT_EQ(found, bytes);
    EXPECT_EQ(access.bounds, (ByteRange{*bytes.begin(), *bytes.rbegin() + 1}));
  }
}

}  // namespace
