// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "products/index_set.hpp"

// Rows or columns of a matrix, against lists of single indices.
namespace {

using tessera::index_t;
using tessera::linalg::detail::IndexRun;
using tessera::linalg::detail::IndexSet;

using List = std::vector<index_t>;

List list_of(const IndexSet& set) {
  List list;
  for (const IndexRun& run : set.runs()) {
    for (index_t i = run.begin; i < run.end(); ++i) list.push_back(i);
  }
  return list;
}

IndexSet random_set(std::mt19937_64& random) {
  IndexSet set;
  index_t next = 0;
  for (auto runs = random() % 6; runs > 0; --runs) {
    const auto begin = next + static_cast<index_t>(random() % 4), count = static_cast<index_t>(random() % 5);
    set.add({begin, count});
    next = begin + count;
  }
  return set;
}

TEST(IndexSet, joins_runs_that_follow_each_other_and_leaves_out_empty_ones) {
  IndexSet set;
  EXPECT_TRUE(set.empty());
  set.add({2, 0});
  set.add({2, 3});
  set.add({5, 1});
  set.add({8, 2});
  EXPECT_EQ(set.runs(), (std::vector<IndexRun>{{2, 4}, {8, 2}}));
  EXPECT_EQ(set.size(), 6);
}

TEST(IndexSet, has_the_common_indices_of_two_as_their_intersection) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 2000; ++round) {
    const IndexSet a = random_set(random), b = random_set(random);
    const List in_a = list_of(a), in_b = list_of(b);
    List common;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(common));
    const IndexSet found = a.intersection(b);
    ASSERT_EQ(list_of(found), common) << "round " << round;
    ASSERT_EQ(found.size(), static_cast<index_t>(common.size()));
  }
}

TEST(IndexSet, gives_the_indices_from_a_position_on) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    const IndexSet set = random_set(random);
    const List all = list_of(set);
    const auto offset = static_cast<index_t>(random() % (all.size() + 1));
    const auto count = static_cast<index_t>(random() % (all.size() - static_cast<std::size_t>(offset) + 1));
    ASSERT_EQ(list_of(set.part(offset, count)), List(all.begin() + offset, all.begin() + offset + count));
  }
}

TEST(IndexSet, splits_into_parts_that_differ_by_at_most_one_index) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 500; ++round) {
    const IndexSet set = random_set(random);
    const auto parts = static_cast<index_t>(1 + random() % 7);
    List joined;
    index_t least = set.size(), most = 0;
    const std::vector<IndexSet> split = set.split(parts);
    ASSERT_EQ(static_cast<index_t>(split.size()), parts);
    for (const IndexSet& part : split) {
      const List list = list_of(part);
      joined.insert(joined.end(), list.begin(), list.end());
      least = std::min(least, part.size());
      most = std::max(most, part.size());
    }
    ASSERT_EQ(joined, list_of(set));
    ASSERT_LE(most - least, 1);
  }
}

TEST(IndexSet, splits_sets_as_large_as_can_be) {
  constexpr tessera::index_t most = std::numeric_limits<tessera::index_t>::max();
  for (const tessera::index_t parts : {1, 2, 3, 10, 1000}) {
    tessera::index_t end = 0;
    for (const IndexSet& part : IndexSet(0, most).split(parts)) {
      ASSERT_EQ(part.runs().front().begin, end);
      end = part.runs().front().end();
    }
    EXPECT_EQ(end, most);
  }
}

TEST(IndexSet, finds_a_part_only_where_its_indices_follow_each_other) {
  IndexSet set(2, 3);
  set.add({8, 4});
  EXPECT_EQ(set.find(IndexSet(3, 2)), 1);
  EXPECT_EQ(set.find(IndexSet(8, 4)), 3);
  EXPECT_EQ(set.find(IndexSet(5, 1)), std::nullopt);
  IndexSet across(4, 1);
  across.add({8, 1});
  EXPECT_EQ(set.find(across), 2);
  IndexSet apart(3, 1);
  apart.add({8, 1});
  EXPECT_EQ(set.find(apart), std::nullopt);
}

}  // namespace
