// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/philox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>

namespace {

using namespace tessera;
using Bits = std::array<std::uint64_t, 2>;

constexpr std::uint64_t ones = ~std::uint64_t{0};

TEST(Philox, gives_the_published_numbers_of_counter_and_key_0) {
  // Random123's known answers of philox4x32-10 begin with 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  EXPECT_EQ(detail::philox(0, 0), (Bits{0x6627e8d5e169c58dULL, 0xbc57ac4c9b00dbd8ULL}));
}

TEST(Philox, every_bit_of_seed_and_counter_counts) {
  const Bits first = detail::philox(1, 2);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(detail::philox(1 ^ std::uint64_t{1} << bit, 2), first) << bit;
    EXPECT_NE(detail::philox(1, 2 ^ std::uint64_t{1} << bit), first) << bit;
  }
}

TEST(Uniform, integers_reach_both_ends) {
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(detail::uniform<std::int32_t>({0, 0}, -3, 8), -3);
  EXPECT_EQ(detail::uniform<std::int32_t>({ones, 0}, -3, 8), 8);
  EXPECT_EQ(detail::uniform<std::int64_t>({0, 0}, Limits::min(), Limits::max()), Limits::min());
  EXPECT_EQ(detail::uniform<std::int64_t>({ones, 0}, Limits::min(), Limits::max()), Limits::max());
  EXPECT_EQ(detail::uniform<std::int64_t>({ones, 0}, 5, 5), 5);
}

TEST(Uniform, integers_are_equally_likely) {
  std::array<int, 6> counts{};
  for (std::uint64_t i = 0; i < 6000; ++i)
    ++counts.at(static_cast<std::size_t>(detail::uniform<std::int32_t>(detail::philox(9, i), 1, 6) - 1));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

template <class T>
void check_reals() {
  using Limits = std::numeric_limits<T>;
  for (const auto& [low, high] : {std::pair(T{0}, T{1}),
                                  {T{-2}, T{3}},
                                  {T{1}, 1 + Limits::epsilon()},
                                  {Limits::lowest(), Limits::max()}}) {
    EXPECT_EQ(detail::uniform<T>({0, 0}, low, high), low);
    for (const std::uint64_t bits : {ones, ones - 1, ones << 11, ones << 41}) {
      const T number = detail::uniform<T>({bits, 0}, low, high);
      EXPECT_LT(number, high) << bits;
      EXPECT_GE(number, low) << bits;
    }
  }
  EXPECT_EQ(detail::uniform<T>({std::uint64_t{1} << 63, 0}, Limits::lowest(), Limits::max()), T{0});
}

TEST(Uniform, reals_never_reach_the_upper_end) {
  check_reals<double>();
  check_reals<float>();
}

TEST(Uniform, both_parts_of_complex_numbers_have_their_own_bits) {
  using C = std::complex<double>;
  EXPECT_EQ(detail::uniform<C>({0, std::uint64_t{1} << 63}, {1, 10}, {2, 20}), C(1, 15));
  EXPECT_EQ(detail::uniform<C>({std::uint64_t{1} << 63, 0}, {1, 10}, {2, 20}), C(1.5, 10));
}

}  // namespace
