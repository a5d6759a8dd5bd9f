// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/pairs.hpp>
#include <tessera/runtime/error.hpp>

namespace {

using namespace tessera;

using List = std::vector<std::pair<index_t, index_t>>;

List list_of(const Pairs& pairs) {
  List list;
  for (index_t number = 0; number < pairs.count(); ++number) list.push_back(pairs[number]);
  return list;
}

TEST(Pairs, are_numbered_by_rows) {
  for (const index_t n : {0, 1, 2, 7, 100}) {
    List square, triangle;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) {
        square.emplace_back(i, j);
        if (j <= i) triangle.emplace_back(i, j);
      }
    }
    EXPECT_EQ(list_of(Pairs(n, Square{})), square);
    EXPECT_EQ(list_of(Pairs(n, Triangular{})), triangle);
  }
}

TEST(Pairs, of_the_most_indices_have_exact_numbers) {
  constexpr index_t most = 4'294'967'295;  // n (n + 1) / 2 fits 63 bits
  const Pairs pairs(most, Triangular{});
  EXPECT_EQ(pairs.count(), 9'223'372'034'707'292'160);
  for (const index_t i :
       {index_t{0}, index_t{1}, index_t{94'906'265}, index_t{3'037'000'499}, most - 2, most - 1}) {
    const auto before =
        static_cast<index_t>(static_cast<unsigned __int128>(i) * static_cast<unsigned __int128>(i + 1) / 2);
    EXPECT_EQ(pairs[before], std::pair(i, index_t{0}));
    EXPECT_EQ(pairs[before + i], std::pair(i, i));
    if (i == 0) continue;
    EXPECT_EQ(pairs[before - 1], std::pair(i - 1, i - 1));
  }
  EXPECT_EQ(Pairs(3'037'000'499, Square{})[9'223'372'030'926'249'000],
            std::pair(index_t{3'037'000'498}, index_t{3'037'000'498}));
}

TEST(Pairs, are_ordered_by_falling_cost_and_then_by_rows) {
  const auto cost = [](index_t i, index_t j) { return static_cast<double>((7 * i + 3 * j) % 5); };
  List expected = list_of(Pairs(30, Triangular{}));
  std::stable_sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) {
    return cost(a.first, a.second) > cost(b.first, b.second);
  });
  EXPECT_EQ(list_of(Pairs(30, Triangular{}, cost)), expected);
  EXPECT_EQ(list_of(Pairs(2, Square{}, [](index_t i, index_t j) { return static_cast<double>(j - i); })),
            (List{{0, 1}, {0, 0}, {1, 1}, {1, 0}}));
}

TEST(Pairs, that_cannot_be_counted_or_ordered_are_refused) {
  EXPECT_THROW(Pairs(-1, Square{}), UsageError);
  EXPECT_THROW(Pairs(3'037'000'500, Square{}), UsageError);
  EXPECT_THROW(Pairs(4'294'967'296, Triangular{}), UsageError);
  EXPECT_THROW(Pairs(std::numeric_limits<index_t>::max(), Triangular{}), UsageError);
  EXPECT_THROW(Pairs(3, Square{}, [](index_t, index_t) { return std::nan(""); }), UsageError);
}

}  // namespace
