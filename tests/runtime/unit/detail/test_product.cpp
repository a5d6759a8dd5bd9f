// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/product.hpp>

// Sizes and argument lists of collective calls.
namespace {

using tessera::index_t;
using tessera::detail::checked_product;
using tessera::detail::Fingerprint;
using tessera::detail::size_to_ask;

constexpr index_t largest = std::numeric_limits<index_t>::max();

TEST(CheckedProduct, is_empty_where_it_does_not_fit_64_bits) {
  EXPECT_EQ(checked_product(6, 7), 42);
  EXPECT_EQ(checked_product(largest, 1), largest);
  EXPECT_EQ(checked_product(index_t{1} << 31, index_t{1} << 31), index_t{1} << 62);
  EXPECT_FALSE(checked_product(index_t{1} << 32, index_t{1} << 31).has_value());
  EXPECT_FALSE(checked_product(largest, 2).has_value());
  EXPECT_EQ(checked_product(std::vector<index_t>{}), 1);
  EXPECT_EQ(checked_product(std::vector<index_t>{2, 3, 5}), 30);
}

TEST(CheckedProduct, is_zero_with_any_zero_however_large_the_others_are) {
  EXPECT_EQ(checked_product(0, largest), 0);
  EXPECT_EQ(checked_product(std::vector<index_t>{largest, largest, 0}), 0);
  EXPECT_EQ(checked_product(std::vector<index_t>{0, largest, largest}), 0);
}

TEST(SizeToAsk, is_one_that_a_segment_refuses_where_the_size_is_impossible) {
  EXPECT_EQ(size_to_ask(5, 64), 320);
  EXPECT_EQ(size_to_ask(0, 64), 0);
  EXPECT_EQ(size_to_ask(-3, 64), -1);
  EXPECT_EQ(size_to_ask(std::numeric_limits<index_t>::min(), 64), -1);
  EXPECT_EQ(size_to_ask(largest / 8, 64), largest);
}

TEST(Fingerprint, depends_on_every_value_their_order_and_the_ends_of_texts) {
  const auto of = [](auto... values) {
    Fingerprint print;
    (print.add(values), ...);
    return print.value();
  };
  using Text = std::string_view;
  EXPECT_EQ(of(1, Text("a")), of(1, Text("a")));
  EXPECT_NE(of(1, 2), of(2, 1));
  EXPECT_NE(of(1), of(1, 0));
  EXPECT_NE(of(Text("ab"), Text("c")), of(Text("a"), Text("bc")));
  EXPECT_EQ(of(-1), of(std::int64_t{-1})) << "an int counts as the number it is";
  EXPECT_NE(of(index_t{1} << 40), of(0));
}

}  // namespace
