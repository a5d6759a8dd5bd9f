// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/contraction.hpp"

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

namespace {

using tessera::linalg::detail::Contraction;
using tessera::linalg::detail::contraction_of;
using tessera::linalg::detail::lone_dimensions;

using Dimensions = std::vector<int>;

TEST(Contraction, sorts_dimensions_by_where_their_letter_is) {
  const Contraction kinds = contraction_of("pkaib", "jpbka", "ijp");
  EXPECT_EQ(kinds.fixed_of_a, Dimensions{0});
  EXPECT_EQ(kinds.fixed_of_b, Dimensions{1});
  EXPECT_EQ(kinds.fixed_of_c, Dimensions{2});
  EXPECT_EQ(kinds.rows_of_a, Dimensions{3});
  EXPECT_EQ(kinds.rows_of_c, Dimensions{0});
  EXPECT_EQ(kinds.columns_of_b, Dimensions{0});
  EXPECT_EQ(kinds.columns_of_c, Dimensions{1});
  EXPECT_EQ(kinds.inner_of_a, (Dimensions{1, 2, 4}));
  EXPECT_EQ(kinds.inner_of_b, (Dimensions{3, 4, 2}));
}

TEST(Contraction, a_letter_of_the_result_alone_is_an_error) {
  EXPECT_THROW(contraction_of("ik", "kj", "ijx"), tessera::UsageError);
}

TEST(LoneDimensions, have_a_letter_that_is_nowhere_else) {
  EXPECT_EQ(lone_dimensions("iakb", "kj", "ij"), (Dimensions{1, 3}));
  EXPECT_EQ(lone_dimensions("ik", "kj", "ij"), Dimensions{});
}

}  // namespace
