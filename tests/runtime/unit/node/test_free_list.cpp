// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "node/free_list.hpp"

namespace {

using namespace tessera;
using tessera::detail::FreeList;

TEST(FreeList, gives_the_first_part_that_is_large_enough) {
  FreeList list(100);
  EXPECT_EQ(list.take(40), 0);
  EXPECT_EQ(list.take(30), 40);
  list.give_back(0, 40);
  EXPECT_EQ(list.take(20), 0);
  EXPECT_EQ(list.take(25), 70);
  EXPECT_EQ(list.take(21), -1);
  EXPECT_EQ(list.available(), 25);
  EXPECT_EQ(list.largest(), 20);
}

TEST(FreeList, joins_a_part_that_is_given_back_with_both_neighbours) {
  FreeList list(90);
  for (index_t offset = 0; offset < 90; offset += 30) EXPECT_EQ(list.take(30), offset);
  list.give_back(0, 30);
  list.give_back(60, 30);
  EXPECT_EQ(list.largest(), 30);
  list.give_back(30, 30);
  EXPECT_EQ(list.largest(), 90);
  EXPECT_EQ(list.take(90), 0);
}

TEST(FreeList, of_no_bytes_has_nothing_to_give) {
  FreeList list(0);
  EXPECT_EQ(list.take(1), -1);
  EXPECT_EQ(list.available(), 0);
  EXPECT_EQ(list.largest(), 0);
}

// The model marks each byte that is taken.
TEST(FreeList, takes_and_gives_back_as_a_model_of_single_bytes) {
  constexpr index_t bytes = 200;
  std::mt19937_64 random(12);
  FreeList list(bytes);
  std::vector<bool> taken(bytes, false);
  std::map<index_t, index_t> parts;
  const auto first_fit = [&](index_t size) {
    for (index_t offset = 0, run = 0; offset < bytes; ++offset) {
      run = taken[static_cast<std::size_t>(offset)] ? 0 : run + 1;
      if (run == size) return offset - size + 1;
    }
    return index_t{-1};
  };
  for (int round = 0; round < 5000; ++round) {
    if (parts.empty() || random() % 2 == 0) {
      const auto size = static_cast<index_t>(1 + random() % 40);
      const index_t expected = first_fit(size), offset = list.take(size);
      ASSERT_EQ(offset, expected) << "round " << round << ", " << size << " bytes";
      if (offset < 0) continue;
      parts.emplace(offset, size);
      std::fill_n(taken.begin() + offset, size, true);
    } else {
      const auto part = std::next(parts.begin(), static_cast<std::ptrdiff_t>(random() % parts.size()));
      list.give_back(part->first, part->second);
      std::fill_n(taken.begin() + part->first, part->second, false);
      parts.erase(part);
    }
    ASSERT_EQ(list.available(), std::count(taken.begin(), taken.end(), false)) << "round " << round;
  }
}

}  // namespace
