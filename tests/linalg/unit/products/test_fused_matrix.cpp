// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/fused_matrix.hpp"

#include <random>

#include <gtest/gtest.h>

// Fused dimensions, against lists of coordinates.
namespace {

using tessera::index_t;
using tessera::linalg::detail::boxes_of;
using tessera::linalg::detail::fused;
using tessera::linalg::detail::IndexBox;
using tessera::linalg::detail::IndexRun;
using tessera::linalg::detail::IndexSet;

using List = std::vector<index_t>;

List list_of(const IndexSet& set) {
  List list;
  for (const IndexRun& run : set.runs())
    for (index_t i = run.begin; i < run.end(); ++i) list.push_back(i);
  return list;
}

index_t random_in(std::mt19937_64& random, index_t low, index_t high) {
  return std::uniform_int_distribution<index_t>(low, high)(random);
}

// Some indices of [0, extent).
IndexSet random_set(std::mt19937_64& random, index_t extent) {
  IndexSet set;
  for (index_t i = 0; i < extent; ++i)
    if (random_in(random, 0, 3) > 0) set.add({i, 1});
  return set;
}

// The numbers of a box's elements, the last dimension fastest.
List numbers_of(const IndexBox& box, const List& extents) {
  List numbers{0};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    List next;
    for (const index_t number : numbers)
      for (index_t i = box.box.lo[d]; i < box.box.hi[d]; ++i) next.push_back(number * extents[d] + i);
    numbers = next;
  }
  return numbers;
}

TEST(Fused, has_the_indices_whose_coordinates_are_in_the_sets) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    List extents, expected{0};
    std::vector<IndexSet> sets;
    for (index_t d = random_in(random, 0, 3); d > 0; --d) {
      extents.push_back(random_in(random, 1, 5));
      sets.push_back(random_set(random, extents.back()));
      List next;
      for (const index_t number : expected)
        for (const index_t i : list_of(sets.back())) next.push_back(number * extents.back() + i);
      expected = next;
    }
    ASSERT_EQ(list_of(fused(sets, extents)), expected);
  }
}

TEST(Boxes, cover_a_set_in_its_order) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    List extents;
    index_t size = 1;
    for (index_t d = random_in(random, 0, 3); d > 0; --d) {
      extents.push_back(random_in(random, 1, 5));
      size *= extents.back();
    }
    const IndexSet set = random_set(random, size);
    List covered;
    for (const IndexBox& box : boxes_of(set, extents)) {
      ASSERT_EQ(box.before, static_cast<index_t>(covered.size()));
      const List numbers = numbers_of(box, extents);
      covered.insert(covered.end(), numbers.begin(), numbers.end());
    }
    ASSERT_EQ(covered, list_of(set));
  }
}

TEST(Boxes, a_box_is_found_whole) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const List extents{random_in(random, 1, 5), random_in(random, 1, 5), random_in(random, 1, 5)};
    std::vector<IndexSet> sides;
    for (const index_t extent : extents) {
      const index_t begin = random_in(random, 0, extent - 1);
      sides.emplace_back(begin, random_in(random, 1, extent - begin));
    }
    const auto boxes = boxes_of(fused(sides, extents), extents);
    ASSERT_EQ(boxes.size(), 1U);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      ASSERT_EQ(boxes[0].box.lo[d], sides[d].runs().front().begin);
      ASSERT_EQ(boxes[0].box.hi[d], sides[d].runs().front().end());
    }
  }
}

}  // namespace
