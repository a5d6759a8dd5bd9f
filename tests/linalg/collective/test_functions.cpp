// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "spectra.hpp"

// Functions of Hermitian matrices with a known spectrum.
namespace tessera::test {
namespace {

using linalg::LinalgError;

template <class T>
class Functions : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Functions, Scalars);

TYPED_TEST(Functions, act_on_the_eigenvalues) {
  using T = TypeParam;
  const index_t n = 20;
  const auto values = from_one_to(n);
  const auto matrix = of_spectrum<T>(values);
  std::vector<double> exponentials, polynomials;
  for (const double value : values) exponentials.push_back(std::exp(-value / 4));
  for (const double value : values) polynomials.push_back(value * value / 16 - 1);
  for (const auto& layout : {layouts({n, n})[0], layouts({n, n})[2]}) {
    Array<T, 2> s(world(), layout, {.name = "S"});
    set(s, matrix);
    const auto root = linalg::power(s, 0.5);
    EXPECT_TRUE(root.layout() == layout);
    const auto half = all_of(root);
    EXPECT_TRUE(are_close(product(half, half), matrix, tolerance<T>(n, 20)));
    EXPECT_TRUE(are_equal(half, adjoint_of(half)));
    const auto x = all_of(linalg::symmetric_orthogonaliser(s));
    EXPECT_TRUE(are_close(product(x, product(matrix, x)), unit<T>(n), tolerance<T>(n, 5)));
    EXPECT_TRUE(are_close(product(half, x), unit<T>(n), tolerance<T>(n, 5)));
    EXPECT_TRUE(are_close(all_of(linalg::power(s, -1)), all_of(linalg::inverse_spd(s)), tolerance<T>(n, 5)));
    scale(s, T(RealOf<T>(-0.25)));
    EXPECT_TRUE(are_close(all_of(linalg::exponential(s)), of_spectrum<T>(exponentials), tolerance<T>(n)));
    EXPECT_TRUE(are_close(all_of(linalg::matrix_function(s, [](double w) { return w * w - 1; })),
                          of_spectrum<T>(polynomials), tolerance<T>(n, 25)));
    world().sync();
  }
}

TYPED_TEST(Functions, that_fail_on_one_rank_fail_on_all) {
  using T = TypeParam;
  const index_t n = 20;
  Array<T, 2> s(world(), {n, n}, {.name = "S"});
  fill(s, T(0)), shift_diagonal(s, T(2));
  const int last = world().size() - 1;
  const bool is_last = world().rank() == last;
  const auto fail = [is_last](double w) -> double {
    return is_last ? throw std::runtime_error("bad luck") : w;
  };
  EXPECT_EQ(message_of<std::runtime_error>([&] { (void)linalg::matrix_function(s, fail); }),
            is_last ? "bad luck" : "matrix_function: rank " + std::to_string(last) + " failed: bad luck");
  EXPECT_EQ(world().all_reduce(1, Reduce::sum), world().size());
}

TYPED_TEST(Functions, that_orthogonalise_leave_out_directions_near_zero) {
  using T = TypeParam;
  const index_t n = 20;
  auto few = from_one_to(n);
  few[0] = 1e-12, few[1] = 0, few[2] = 1e-10;
  const auto singular = of_spectrum<T>(few);
  Array<T, 2> s(world(), {n, n}, {.name = "S"});
  set(s, singular);
  const auto x = linalg::canonical_orthogonaliser(s, 1e-3);
  ASSERT_EQ(x.dims(), Extents<2>(n, n - 3));
  const auto columns = all_of(x);
  EXPECT_TRUE(
      are_close(product(adjoint_of(columns), product(singular, columns)), unit<T>(n - 3), tolerance<T>(n, 5)));
  EXPECT_NE(message_of<LinalgError>([&] { linalg::symmetric_orthogonaliser(s); }).find("canonical"),
            std::string::npos);
  world().sync();
}

// Only the lower triangle is read, and an error tells what the elements cannot hold.
TEST(MatrixFunctions, read_one_triangle_and_report_overflow) {
  Array<double, 2> a(world(), {4, 4}, {.name = "A"});
  for_each_local(a, [](const Index<2>& at, double& x) {
    x = at[1] > at[0] ? std::numeric_limits<double>::quiet_NaN() : at[0] == at[1] ? 2.0 : 1.0;
  });
  a.sync();
  EXPECT_TRUE(are_close(linalg::eigvalsh(a), std::vector<double>{1, 1, 1, 5}, 1e-14));
  EXPECT_LT(std::abs(all_of(linalg::power(a, 2.0))(1, 1) - 7), 1e-13);
  EXPECT_EQ(linalg::canonical_orthogonaliser(a).dims(), Extents<2>(4, 4));
  Array<float, 2> large(world(), {3, 3}, {.name = "L"});
  fill(large, 0.0F), fill_diagonal(large, 100.0F);
  EXPECT_NE(message_of<LinalgError>([&] { linalg::exponential(large); }).find("is inf"), std::string::npos);
  fill_diagonal(large, 1e30F);
  EXPECT_NE(message_of<LinalgError>([&] { linalg::power(large, 2.0); }).find("is inf"), std::string::npos);
  Array<double, 2> huge(world(), {3, 3}, {.name = "H"});
  fill(huge, 0.0), fill_diagonal(huge, 1e200);
  EXPECT_NE(message_of<LinalgError>([&] { linalg::power(huge, 2.0); }).find("is inf"), std::string::npos);
}

// g g^T has one eigenvalue that is not zero. Rounding makes five more that are not zero.
TEST(MatrixFunctions, do_not_take_rounding_for_a_direction) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto check = [&]<class T>(T size) {
      const auto g = random_matrix<T>(6, 1, seed);
      Local<T> square(Extents<2>{6, 6});
      for (index_t i = 0; i < 6; ++i) {
        for (index_t j = 0; j < 6; ++j) square(i, j) = size * g(i, 0) * g(j, 0);
      }
      Array<T, 2> s(world(), {6, 6}, {.name = "S"});
      set(s, square);
      for (const double threshold : {1e-8, 0.0}) {
        const auto x = linalg::canonical_orthogonaliser(s, threshold);
        ASSERT_EQ(x.dims(), Extents<2>(6, 1)) << "seed " << seed << ", threshold " << threshold;
        const auto column = all_of(x);
        const T one = product(adjoint_of(column), product(square, column))(0, 0);
        EXPECT_LT(std::abs(one - T(1)), 1000 * std::numeric_limits<T>::epsilon());
      }
    };
    check(1.0F);
    check(1e9);
  }
  world().sync();
}

}  // namespace
}  // namespace tessera::test
