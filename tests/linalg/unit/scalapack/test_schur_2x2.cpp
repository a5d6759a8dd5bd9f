// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "scalapack/schur_2x2.hpp"

namespace tessera::test {
namespace {

template <class R>
using Two = std::array<std::complex<R>, 4>;  // by rows

template <class R>
Two<R> product(const Two<R>& x, const Two<R>& y) {
  return {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
          x[2] * y[1] + x[3] * y[3]};
}

// U is unitary, the result is triangular, and U^H T U gives the matrix back.
template <class R>
void expect_schur_form(const Two<R>& matrix) {
  SCOPED_TRACE(testing::Message() << matrix[0] << matrix[1] << matrix[2] << matrix[3]);
  const R bound = 16 * std::numeric_limits<R>::epsilon();
  Two<R> t = matrix;
  R c{};
  std::complex<R> s;
  linalg::scalapack::to_schur_form<R>(t[0], t[1], t[2], t[3], c, s);
  EXPECT_EQ(t[2], std::complex<R>{});
  EXPECT_NEAR(c * c + std::norm(s), 1, bound);
  R size{};
  for (const auto& x : matrix) size = std::max(size, std::abs(x));
  const Two<R> u{c, s, -std::conj(s), c}, adjoint{c, -s, std::conj(s), c};
  Two<R> scaled = t;
  for (auto& x : scaled) x = size > 0 ? x / size : x;
  const Two<R> back = product(product(adjoint, scaled), u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LE(std::abs(back[i] - matrix[i] / (size > 0 ? size : R{1})), bound);
}

template <class R>
class SchurForms : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SchurForms, Reals);

// Among them: equal diagonals, where ScaLAPACK 2.2 is wrong, multiples of one, Jordan blocks and zero.
TYPED_TEST(SchurForms, of_all_matrices_of_small_numbers) {
  const auto number = [](int code) {
    return std::complex<TypeParam>(static_cast<TypeParam>(code / 3 - 1), static_cast<TypeParam>(code % 3 - 1));
  };
  for (int code = 0; code < 9 * 9 * 9 * 9; ++code)
    expect_schur_form<TypeParam>(
        {number(code % 9), number(code / 9 % 9), number(code / 81 % 9), number(code / 729)});
}

TYPED_TEST(SchurForms, of_random_matrices_of_every_size) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<TypeParam> number(-1, 1);
  const int most = std::numeric_limits<TypeParam>::max_exponent - 4;
  for (int round = 0; round < 2000; ++round) {
    Two<TypeParam> matrix;
    const int size = static_cast<int>(random() % static_cast<unsigned>(2 * most)) - most;
    for (auto& x : matrix) {
      const int exponent = round % 2 == 0 ? size : std::max(size - static_cast<int>(random() % 40), -most);
      x = {std::ldexp(number(random), exponent), std::ldexp(number(random), exponent)};
    }
    if (round % 3 == 0) matrix[3] = matrix[0];
    expect_schur_form<TypeParam>(matrix);
  }
}

}  // namespace
}  // namespace tessera::test
