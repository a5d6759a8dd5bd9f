// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>

#include "matrix_model.hpp"

// Factorisations and solutions, checked against products that are computed element by element.
namespace tessera::test {
namespace {

using linalg::LinalgError;

template <class T>
class Factors : public testing::Test {
 public:
  static double tolerance(index_t n) {
    return 1000 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) * static_cast<double>(n);
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Factors, Scalars);

constexpr index_t sizes[] = {1, 3, 30};

TYPED_TEST(Factors, cholesky_and_inverse_spd_give_back_the_matrix) {
  using T = TypeParam;
  for (const index_t n : sizes) {
    const auto matrix = random_spd<T>(n, 3);
    for (const auto& layout : layouts({n, n})) {
      Array<T, 2> a(world(), layout, {.name = "S"});
      set(a, matrix);
      const auto l = linalg::cholesky(a);
      const auto factor = all_of(l);
      Comparison above;
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = i + 1; j < n; ++j) above(Index<2>{i, j}, T{0}, factor(i, j));
      }
      EXPECT_TRUE(above.equal());
      EXPECT_TRUE(are_close(product(factor, adjoint_of(factor)), matrix, this->tolerance(n)));
      EXPECT_TRUE(l.layout() == layout);
      const auto inverse = all_of(linalg::inverse_spd(a));
      EXPECT_TRUE(are_close(product(matrix, inverse), unit<T>(n), this->tolerance(n)));
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Factors, solve_and_inverse_have_small_residuals) {
  using T = TypeParam;
  for (const index_t n : sizes) {
    auto matrix = random_matrix<T>(n, n, 11);
    for (index_t i = 0; i < n; ++i) matrix(i, n - 1 - i) += T(6);  // rows have to be exchanged
    const auto right = random_matrix<T>(n, 4, 12);
    for (const auto& layout : layouts({n, n})) {
      Array<T, 2> a(world(), layout, {.name = "A"}), b(world(), {n, 4}, {.name = "b"});
      set(a, matrix), set(b, right);
      linalg::solve(a, b);
      EXPECT_TRUE(are_close(product(matrix, all_of(b)), right, this->tolerance(n)));
      const auto inverse = all_of(linalg::inverse(a));
      EXPECT_TRUE(are_close(product(matrix, inverse), unit<T>(n), this->tolerance(n)));
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().sync();
    }
  }
}

// A scaled permutation, whose known determinant is larger than any number of the type.
TYPED_TEST(Factors, log_determinant_may_be_out_of_range_of_the_type) {
  using T = TypeParam;
  const index_t n = 200;
  Array<T, 2> p(world(), {n, n}, {.name = "P"});
  for_each_local(p, [&](const Index<2>& at, T& x) { x = T((at[0] + 1) % n == at[1] ? -1000 : 0); });
  p.sync();
  // A cycle of even length is an odd permutation, and there are 200 factors of -1.
  const auto [sign, magnitude] = linalg::log_determinant(p);
  EXPECT_LT(std::abs(sign + T(1)), 1e-3);
  EXPECT_NEAR(magnitude, 200 * std::log(1000.0), 1e-3);
}

TYPED_TEST(Factors, determinant_and_condition_have_the_known_values) {
  using T = TypeParam;
  // Of order 3, by the rule of Sarrus.
  const auto m = random_matrix<T>(3, 3, 21);
  const T expected = m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
                     m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
                     m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
  for (const auto& layout : layouts({3, 3})) {
    Array<T, 2> a(world(), layout, {.name = "A"});
    set(a, m);
    const auto [sign, magnitude] = linalg::log_determinant(a);
    EXPECT_LT(std::abs(sign * static_cast<RealOf<T>>(std::exp(magnitude)) - expected), this->tolerance(3));
  }
  Array<T, 2> d(world(), {40, 40}, {.name = "D"});
  for_each_local(d, [](const Index<2>& at, T& x) { x = T(at[0] == at[1] ? (at[0] == 7 ? 0.25 : 2) : 0); });
  d.sync();
  EXPECT_NEAR(linalg::condition(d), 8, 1e-3);
  fill(d, T{0});
  EXPECT_EQ(linalg::condition(d), std::numeric_limits<double>::infinity());
  EXPECT_EQ(linalg::log_determinant(d).sign, T{0});
  EXPECT_EQ(linalg::log_determinant(d).log_magnitude, -std::numeric_limits<double>::infinity());
}

TYPED_TEST(Factors, qr_gives_back_tall_and_wide_matrices) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {30, 12}, {12, 30}, {20, 20}}) {
    const auto matrix = random_matrix<T>(m, n, 31);
    for (const auto& layout : layouts({m, n})) {
      Array<T, 2> a(world(), layout, {.name = "A"});
      set(a, matrix);
      const auto factors = linalg::qr(a);
      const auto q = all_of(factors.q), r = all_of(factors.r);
      EXPECT_TRUE(are_close(product(q, r), matrix, this->tolerance(n)));
      EXPECT_TRUE(are_close(product(adjoint_of(q), q), unit<T>(std::min(m, n)), this->tolerance(n)));
      Comparison below;
      for (index_t i = 0; i < r.extents()[0]; ++i) {
        for (index_t j = 0; j < std::min(i, n); ++j) below(Index<2>{i, j}, T{0}, r(i, j));
      }
      EXPECT_TRUE(below.equal());
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Factors, solve_triangular_reads_one_triangle) {
  using T = TypeParam;
  const index_t n = 24;
  auto matrix = random_matrix<T>(n, n, 41);
  for (index_t i = 0; i < n; ++i) matrix(i, i) += T(8);
  const auto right = random_matrix<T>(n, 5, 42);
  for (const auto& layout : layouts({n, n})) {
    Array<T, 2> a(world(), layout, {.name = "T"}), b(world(), {n, 5}, {.name = "b"});
    set(a, matrix);
    for (const auto side : {linalg::Triangle::lower, linalg::Triangle::upper}) {
      Local<T> triangle(Extents<2>{n, n});
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
          if (side == linalg::Triangle::lower ? j <= i : j >= i) triangle(i, j) = matrix(i, j);
        }
      }
      set(b, right);
      linalg::solve_triangular(side, a, b);
      EXPECT_TRUE(are_close(product(triangle, all_of(b)), right, this->tolerance(n)));
      world().sync();
      set(b, right);
      linalg::solve_triangular(side, linalg::adjoint(a), b);
      EXPECT_TRUE(are_close(product(adjoint_of(triangle), all_of(b)), right, this->tolerance(n)));
      world().sync();
    }
  }
}

TYPED_TEST(Factors, least_squares_have_the_least_residual) {
  using T = TypeParam;
  // Tall: the residual is orthogonal to all columns. Wide: it is zero, and x is a combination of the rows.
  for (const auto& [m, columns] : {std::pair<index_t, index_t>{30, 7}, {7, 30}}) {
    const auto tall = random_matrix<T>(m, columns, 51), rhs = random_matrix<T>(m, 2, 52);
    Array<T, 2> a(world(), {m, columns}, {.name = "A"}), b(world(), {m, 2}, {.name = "b"});
    set(a, tall), set(b, rhs);
    const auto x = all_of(linalg::least_squares(a, b));
    auto rest = product(tall, x);
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < 2; ++j) rest(i, j) -= rhs(i, j);
    }
    const auto normal = m > columns ? product(adjoint_of(tall), rest) : rest;
    EXPECT_TRUE(are_close(normal, Local<T>(normal.extents()), this->tolerance(30)));
    EXPECT_TRUE(are_equal(all_of(b), rhs)) << "the right-hand side changed";
    world().sync();
  }
}

TEST(FactorErrors, say_what_is_wrong_on_every_rank) {
  Array<double, 2> s(world(), {20, 20}, {.name = "S"}), b(world(), {20, 1}, {.name = "b"});
  fill(b, 3.0);
  for_each_local(s, [](const Index<2>& at, double& x) { x = at[0] == at[1] && at[0] != 16 ? 1 : 0; });
  s.sync();
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve(s, b); }),
            "solve: matrix \"S\" is singular: pivot 17 is zero");
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::inverse(s); }),
            "inverse: matrix \"S\" is singular: pivot 17 is zero");
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::cholesky(s); }),
            "cholesky: matrix \"S\" is not positive definite: leading minor 17");
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve_triangular(linalg::Triangle::upper, s, b); }),
            "solve_triangular: matrix \"S\" is singular: element 17 of its diagonal is zero");
  EXPECT_EQ(reduce(b, Reduce::min), 3.0);
  EXPECT_EQ(reduce(b, Reduce::max), 3.0);
  Array<double, 2> a(world(), {3, 4}, {.name = "a"});
  EXPECT_NE(message_of<UsageError>([&] { linalg::inverse(a); }).find("\"a\" is 3 x 4"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::solve(a, b); }).find("square"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::least_squares(a, b); }).find("rows"), std::string::npos);
}

TEST(FactorErrors, name_the_matrix_with_nan_or_dependent_columns) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double, 2> s(world(), {3, 3}, {.name = "S"}), right(world(), {3, 1}, {.name = "right"});
  fill(s, 0.0), fill_diagonal(s, 2.0), fill(right, 1.0);
  if (world().rank() == 0) s.store({0, 2}, nan);
  s.sync();
  EXPECT_NEAR(reduce(linalg::inverse_spd(s), Reduce::max), 0.5, 1e-15) << "the upper triangle is not read";
  if (world().rank() == 0) s.store({1, 1}, nan);
  s.sync();
  EXPECT_NE(message_of<LinalgError>([&] { linalg::cholesky(s); }).find("\"S\" holds NaN"), std::string::npos);
  EXPECT_NE(message_of<LinalgError>([&] { linalg::solve_spd(s, right); }).find("NaN"), std::string::npos);
  EXPECT_EQ(reduce(right, Reduce::min), 1.0);

  Array<double, 2> a(world(), {5, 2}, {.name = "a"}), b(world(), {5, 1}, {.name = "b"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(1 + at[0]); });
  for_each_local(b, [](const Index<2>& at, double& x) { x = static_cast<double>(at[0] * at[0]); });
  a.sync(), b.sync();
  const auto problem = [&] { return message_of<LinalgError>([&] { linalg::least_squares(a, b); }); };
  EXPECT_EQ(problem(), "least_squares: matrix \"a\" does not have full rank");
  fill(a, 0.0);
  EXPECT_EQ(problem(), "least_squares: matrix \"a\" does not have full rank");
  fill(b, nan);
  EXPECT_EQ(problem(), "least_squares: matrix \"b\" holds NaN or infinity");
}

// The columns of a tall matrix and the rows of a wide one have unrelated sizes. Also results that are too
// large.
TEST(LeastSquares, do_not_depend_on_the_scale_of_columns) {
  constexpr double small = 1e-17;
  Array<double, 2> tall(world(), {6, 2}, {.name = "tall"}), wide(world(), {2, 6}, {.name = "wide"}),
      b(world(), {6, 1}, {.name = "b"}), c(world(), {2, 1}, {.name = "c"});
  const auto value = [](index_t i, index_t j) { return j == 0 ? 1.0 : small * static_cast<double>(i); };
  for_each_local(tall, [&](const Index<2>& at, double& x) { x = value(at[0], at[1]); });
  for_each_local(wide, [&](const Index<2>& at, double& x) { x = value(at[1], at[0]); });
  for_each_local(b, [](const Index<2>& at, double& x) { x = static_cast<double>(at[0]); });
  for_each_local(c, [](const Index<2>& at, double& x) { x = at[0] == 0 ? 2.0 : 3 * small; });
  tall.sync(), wide.sync(), b.sync(), c.sync();
  const auto line = all_of(linalg::least_squares(tall, b));
  EXPECT_NEAR((line[{0, 0}]), 0.0, 1e-13);
  EXPECT_NEAR((line[{1, 0}]) * small, 1.0, 1e-13);
  const auto shortest = all_of(linalg::least_squares(wide, c));
  double first = 0, second = 0;
  for (index_t i = 0; i < 6; ++i) {
    first += shortest[{i, 0}];
    second += shortest[{i, 0}] * static_cast<double>(i);
  }
  EXPECT_NEAR(first, 2.0, 1e-13);
  EXPECT_NEAR(second, 3.0, 1e-13);

  Array<double, 2> identity(world(), {3, 3}, {.name = "I"}), large(world(), {3, 3}, {.name = "large"});
  fill(identity, 0.0), fill_diagonal(identity, 1.0), fill(large, 1e308);
  EXPECT_EQ(reduce(linalg::least_squares(identity, large), Reduce::min), 1e308)
      << "only the sum of a row is infinite";
  fill_diagonal(identity, 1e-10);
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::least_squares(identity, large); }),
            "least_squares: matrix \"I\" has a solution that is out of the range of its type");
}

TEST(FactorSlices, are_operands_and_results) {
  Array<double, 2> a(world(), {9, 9}, {.name = "A"}), b(world(), {8, 4}, {.name = "b"});
  fill(a, 5.0), fill(b, 1.0);
  const auto inside = a.slice({{2, 3}, {6, 7}});
  fill(inside, 0.0), fill_diagonal(inside, 2.0);
  const auto right = b.slice({{1, 1}, {5, 3}});
  linalg::solve(inside, right);
  EXPECT_EQ(reduce(right, Reduce::sum), 4.0);
  EXPECT_EQ(reduce(b, Reduce::sum), 4.0 + 24.0);
  const auto inverse = linalg::inverse(inside);
  EXPECT_EQ(inverse.dims(), Extents<2>(4, 4));
  EXPECT_EQ(reduce(inverse, Reduce::sum), 2.0);
}

TEST(FactorEmpty, matrices_have_empty_factors) {
  Array<double, 2> none(world(), {0, 0}), right(world(), {0, 3}), tall(world(), {5, 0});
  EXPECT_EQ(linalg::cholesky(none).dims(), Extents<2>(0, 0));
  linalg::solve(none, right);
  EXPECT_EQ(linalg::inverse(none).dims(), Extents<2>(0, 0));
  EXPECT_EQ(linalg::log_determinant(none).sign, 1.0);
  EXPECT_EQ(linalg::condition(none), 0.0);
  EXPECT_EQ(linalg::qr(tall).q.dims(), Extents<2>(5, 0));
}

}  // namespace
}  // namespace tessera::test
