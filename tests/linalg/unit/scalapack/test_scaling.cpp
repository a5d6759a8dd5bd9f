// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "comparison.hpp"
#include "scalapack/scaling.hpp"

// Scaling by powers of two, checked against std::ldexp.
namespace tessera::test {
namespace {

using linalg::detail::magnitude_of;
using linalg::detail::times_power;
using linalg::detail::to_one;

template <class R>
class Scaling : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Scaling, Reals);

TYPED_TEST(Scaling, brings_every_magnitude_to_one) {
  using R = TypeParam;
  using Limits = std::numeric_limits<R>;
  for (const R x : {R{1}, R{2}, std::nextafter(R{1}, R{0}), std::nextafter(R{2}, R{0}), R(0.3), R(1e10),
                    Limits::denorm_min(), 3 * Limits::denorm_min(), Limits::min(), Limits::max()}) {
    const R scaled = times_power(x, to_one(static_cast<double>(x)));
    EXPECT_GE(scaled, 1) << x;
    EXPECT_LT(scaled, 2) << x;
  }
  EXPECT_EQ(to_one(0), 0);
}

TYPED_TEST(Scaling, changes_no_digit_of_a_result_within_the_range) {
  using R = TypeParam;
  constexpr int most = std::numeric_limits<R>::max_exponent, least = std::numeric_limits<R>::min_exponent;
  std::mt19937 random(1);
  std::uniform_real_distribution<R> digits(1, 2);
  std::uniform_int_distribution<int> exponents(least, most - 2);
  Comparison compared;
  for (int round = 0; round < 2000; ++round) {
    const R one = digits(random), other = -digits(random);
    const int before = exponents(random), after = exponents(random);
    const std::complex<R> x(std::ldexp(one, before), std::ldexp(other, before)),
        expected(std::ldexp(one, after), std::ldexp(other, after));
    compared(round, expected.real(), times_power(x.real(), after - before));
    compared(round, expected, times_power(x, after - before));
  }
  EXPECT_TRUE(compared.equal());
}

TYPED_TEST(Scaling, may_go_beyond_the_range) {
  using R = TypeParam;
  constexpr int most = std::numeric_limits<R>::max_exponent;
  EXPECT_EQ(times_power(R{1}, most), std::numeric_limits<R>::infinity());
  EXPECT_EQ(times_power(R{1}, -2 * most), 0);
  EXPECT_EQ(times_power(std::numeric_limits<R>::denorm_min(), most),
            std::ldexp(std::numeric_limits<R>::denorm_min(), most));
}

TYPED_TEST(Scaling, takes_the_larger_part_of_a_complex_number_as_its_magnitude) {
  using C = std::complex<TypeParam>;
  EXPECT_EQ(magnitude_of(TypeParam{-3}), 3);
  EXPECT_EQ(magnitude_of(C(-3, 2)), 3);
  EXPECT_EQ(magnitude_of(C(3, -4)), 4);
  EXPECT_EQ(magnitude_of(C(0, 0)), 0);
}

TYPED_TEST(Scaling, takes_nan_and_infinity_in_any_part_for_infinite) {
  using R = TypeParam;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const R none : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity(),
                       -std::numeric_limits<R>::infinity()}) {
    EXPECT_EQ(magnitude_of(none), infinite);
    EXPECT_EQ(magnitude_of(std::complex<R>(none, 1)), infinite);
    EXPECT_EQ(magnitude_of(std::complex<R>(1, none)), infinite);
    EXPECT_EQ(magnitude_of(std::complex<R>(none, none)), infinite);
  }
}

TEST(ScalingExponents, are_negated_one_by_one) {
  EXPECT_EQ(linalg::detail::negated({3, 0, -1074}), (std::vector<int>{-3, 0, 1074}));
  EXPECT_EQ(linalg::detail::negated({}), std::vector<int>{});
}

}  // namespace
}  // namespace tessera::test
