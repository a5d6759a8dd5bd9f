// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "contraction.hpp"

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

namespace {

using tessera::linalg::detail::Contraction;
using tessera::linalg::detail::contraction_of;
using tessera::linalg::detail::lone_dimensions;

using List = std::vector<int>;

TEST(Contraction, sorts_dimensions_by_where_their_letter_is) {
  const Contraction kinds = contraction_of("pkaib", "jpbka", "ijp");
  EXPECT_EQ(kinds.fixed_of_a, List{0});
  EXPECT_EQ(kinds.fixed_of_b, List{1});
  EXPECT_EQ(kinds.fixed_of_c, List{2});
  EXPECT_EQ(kinds.rows_of_a, List{3});
  EXPECT_EQ(kinds.rows_of_c, List{0});
  EXPECT_EQ(kinds.columns_of_b, List{0});
  EXPECT_EQ(kinds.columns_of_c, List{1});
  EXPECT_EQ(kinds.inner_of_a, (List{1, 2, 4}));
  EXPECT_EQ(kinds.inner_of_b, (List{3, 4, 2}));
}

TEST(Contraction, a_letter_of_the_result_alone_is_an_error) {
  EXPECT_THROW(contraction_of("ik", "kj", "ijx"), tessera::UsageError);
}

TEST(LoneDimensions, have_a_letter_that_is_nowhere_else) {
  EXPECT_EQ(lone_dimensions("iakb", "kj", "ij"), (List{1, 3}));
  EXPECT_EQ(lone_dimensions("ik", "kj", "ij"), List{});
}

}  // namespace
