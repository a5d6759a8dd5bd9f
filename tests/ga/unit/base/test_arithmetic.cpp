// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include <tessera/core/arithmetic.hpp>

namespace {

using namespace tessera;

template <class T>
using Limits = std::numeric_limits<T>;

TEST(Arithmetic, integers_wrap_on_overflow) {
  constexpr auto high = Limits<std::int32_t>::max(), low = Limits<std::int32_t>::min();
  EXPECT_EQ(detail::sum(high, 1), low);
  EXPECT_EQ(detail::sum(low, -1), high);
  EXPECT_EQ(detail::product(high, 2), -2);
  EXPECT_EQ(detail::product(low, -1), low);
  EXPECT_EQ(detail::product(Limits<std::int64_t>::max(), std::int64_t{3}), Limits<std::int64_t>::max() - 2);
  EXPECT_EQ(detail::magnitude(low), low);
  EXPECT_EQ(detail::magnitude(std::int64_t{-7}), 7);
}

TEST(Arithmetic, reals_and_complex_numbers_follow_ieee) {
  EXPECT_EQ(detail::sum(Limits<double>::max(), Limits<double>::max()), Limits<double>::infinity());
  EXPECT_EQ(detail::product(0.5F, 3.0F), 1.5F);
  using C = std::complex<double>;
  EXPECT_EQ(detail::product(C(1, 2), C(3, -1)), C(5, 5));
  EXPECT_EQ(detail::magnitude(C(3, 4)), C(5));
  EXPECT_EQ(detail::magnitude(-2.5), 2.5);
  EXPECT_EQ(detail::conjugate(C(1, 2)), C(1, -2));
  EXPECT_EQ(detail::conjugate(-3), -3);
}

TEST(Arithmetic, a_complex_number_is_nan_if_a_part_is) {
  constexpr double nan = Limits<double>::quiet_NaN();
  EXPECT_TRUE(detail::is_nan(nan));
  EXPECT_TRUE(detail::is_nan(std::complex<double>(nan, 0)));
  EXPECT_TRUE(detail::is_nan(std::complex<double>(0, nan)));
  EXPECT_FALSE(detail::is_nan(std::complex<double>(0, Limits<double>::infinity())));
  EXPECT_FALSE(detail::is_nan(7));
}

TEST(Arithmetic, least_and_greatest_are_nan_if_either_is) {
  constexpr float nan = Limits<float>::quiet_NaN();
  EXPECT_EQ(detail::least(2, -3), -3);
  EXPECT_EQ(detail::greatest(2, -3), 2);
  EXPECT_EQ(detail::least(-Limits<float>::infinity(), 1.0F), -Limits<float>::infinity());
  for (const float x : {-1.0F, 0.0F, Limits<float>::infinity(), nan}) {
    EXPECT_TRUE(std::isnan(detail::least(x, nan))) << x;
    EXPECT_TRUE(std::isnan(detail::least(nan, x))) << x;
    EXPECT_TRUE(std::isnan(detail::greatest(x, nan))) << x;
    EXPECT_TRUE(std::isnan(detail::greatest(nan, x))) << x;
  }
}

}  // namespace
