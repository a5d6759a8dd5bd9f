// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>

#include "matrix_model.hpp"

namespace tessera {
namespace {

using linalg::adjoint;
using linalg::LinalgError;
using linalg::Op;
using linalg::Operand;
using namespace test;

template <class T>
class Matrices : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Matrices, Scalars);

TYPED_TEST(Matrices, GemmEqualsTripleLoopForEveryLayoutAndTransposition) {
  using T = TypeParam;
  const double tolerance = 200 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  unsigned seed = 1;
  for (const auto& [m, n, k] : {std::tuple{13, 9, 11}, {1, 1, 1}, {2, 17, 3}}) {
    for (const Op op_a : {Op::none, Op::transpose, Op::adjoint}) {
      for (const Op op_b : {Op::none, Op::adjoint}) {
        const Extents<2> da = op_a == Op::none ? Extents<2>{m, k} : Extents<2>{k, m};
        const Extents<2> db = op_b == Op::none ? Extents<2>{k, n} : Extents<2>{n, k};
        const auto pick = [&](Extents<2> dims, unsigned i) { return layouts(dims)[i % 5]; };
        Array<T, 2> a(world(), pick(da, seed)), b(world(), pick(db, seed / 2)),
            c(world(), pick({m, n}, seed / 3));
        const auto la = random_matrix<T>(da[0], da[1], ++seed), lb = random_matrix<T>(db[0], db[1], ++seed),
                   lc = random_matrix<T>(m, n, ++seed);
        set(a, la), set(b, lb), set(c, lc);
        const T alpha = T(1.5), beta = T(-0.5);
        linalg::gemm(alpha, Operand<T>(a, op_a), Operand<T>(b, op_b), beta, c);
        const auto result = c.get(Patch<2>::whole(c.dims()));
        const auto left = [&](index_t i, index_t l) {
          return op_a == Op::none ? la(i, l) : op_a == Op::transpose ? la(l, i) : conjugate(la(l, i));
        };
        const auto right = [&](index_t l, index_t j) {
          return op_b == Op::none ? lb(l, j) : conjugate(lb(j, l));
        };
        double worst = 0;
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) {
            T sum{};
            for (index_t l = 0; l < k; ++l) sum += left(i, l) * right(l, j);
            worst =
                std::max(worst, static_cast<double>(std::abs(result(i, j) - (alpha * sum + beta * lc(i, j)))));
          }
        }
        EXPECT_LT(worst, tolerance) << m << ' ' << n << ' ' << k << ' ' << int(op_a) << int(op_b);
        world().barrier();
      }
    }
  }
}

TYPED_TEST(Matrices, EighOfKnownSpectrum) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  // H = I - 2 v v* (a reflection) has H diag(1..n) H* with eigenvalues 1..n. n below, at and above the number
  // of ranks.
  for (const index_t n : {index_t{1}, index_t{3}, index_t{40}}) {
    for (const auto& layout : layouts({n, n})) {
      // Many small messages are slow where there are more ranks than cores. So there is one large case for our
      // layout and one for ScaLAPACK's.
      if (n > 3 && !(layout == layouts({n, n})[0]) && !(layout == layouts({n, n})[2])) continue;
      auto v = random_matrix<T>(n, 1, 77);
      RealOf<T> norm = 0;
      for (const T& x : v) norm += std::norm(x);
      const auto reflection = [&](index_t i, index_t j) {
        return T(i == j ? 1 : 0) - RealOf<T>(2) / norm * v(i, 0) * conjugate(v(j, 0));
      };
      LocalArray<T, 2> matrix(Extents<2>{n, n});
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
          for (index_t l = 0; l < n; ++l)
            matrix(i, j) += reflection(i, l) * T(RealOf<T>(l + 1)) * conjugate(reflection(j, l));
        }
      }
      Array<T, 2> a(world(), layout, {.name = "H"});
      set(a, matrix);
      auto [values, vectors] = linalg::eigh(a);
      double off = 0;
      for (index_t i = 0; i < n; ++i) {
        off = std::max(off, std::abs(static_cast<double>(values[static_cast<std::size_t>(i)]) -
                                     static_cast<double>(i + 1)));
      }
      EXPECT_LT(off, 50 * epsilon * static_cast<double>(n)) << "n " << n;
      EXPECT_TRUE(vectors.layout() == layout);
      const auto z = vectors.get(Patch<2>::whole(vectors.dims()));
      double residual = 0, orthogonality = 0;
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
          T product{}, overlap{};
          for (index_t l = 0; l < n; ++l)
            product += matrix(i, l) * z(l, j), overlap += conjugate(z(l, i)) * z(l, j);
          residual = std::max(
              residual, static_cast<double>(std::abs(product - values[static_cast<std::size_t>(j)] * z(i, j))));
          orthogonality = std::max(orthogonality, static_cast<double>(std::abs(overlap - T(i == j ? 1 : 0))));
        }
      }
      EXPECT_LT(residual, 100 * epsilon * static_cast<double>(n));
      EXPECT_LT(orthogonality, 50 * epsilon * std::sqrt(static_cast<double>(n)));
      const auto after = a.get(Patch<2>::whole(a.dims()));
      EXPECT_TRUE(std::equal(after.begin(), after.end(), matrix.begin())) << "the operand changed";
      world().barrier();
    }
  }
}

TYPED_TEST(Matrices, SolveSpdHasSmallResidualAndKeepsTheMatrix) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  for (const auto& [n, columns] : {std::pair<index_t, index_t>{1, 1}, {3, 2}, {40, 7}}) {
    for (const auto& layout : layouts({n, n})) {
      const auto half = random_matrix<T>(n, n, 5), rhs = random_matrix<T>(n, columns, 6);
      LocalArray<T, 2> matrix(Extents<2>{n, n});
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
          for (index_t l = 0; l < n; ++l) matrix(i, j) += half(i, l) * conjugate(half(j, l));
          if (i == j) matrix(i, j) += T(1);
        }
      }
      Array<T, 2> a(world(), layout, {.name = "S"}), b(world(), {n, columns}, {.name = "b"});
      set(a, matrix), set(b, rhs);
      linalg::solve_spd(a, b);
      const auto x = b.get(Patch<2>::whole(b.dims()));
      double worst = 0;
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < columns; ++j) {
          T sum{};
          for (index_t l = 0; l < n; ++l) sum += matrix(i, l) * x(l, j);
          worst = std::max(worst, static_cast<double>(std::abs(sum - rhs(i, j))));
        }
      }
      EXPECT_LT(worst, 500 * epsilon * static_cast<double>(n));
      const auto after = a.get(Patch<2>::whole(a.dims()));
      EXPECT_TRUE(std::equal(after.begin(), after.end(), matrix.begin()));
      world().barrier();
    }
  }
}

TEST(Errors, NotPositiveDefiniteNamesTheMinorOnEveryRankAndLeavesTheRightHandSide) {
  Array<double, 2> s(world(), {20, 20}, {.name = "S"}), b(world(), {20, 1}, {.name = "b"});
  fill(s, 0.0), fill(b, 3.0);
  for_each_local(s, [](Index<2> at, double& x) { x = at[0] != at[1] ? 0 : at[0] == 16 ? -1 : 1; });
  s.sync();
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve_spd(s, b); }),
            "solve_spd: matrix \"S\" is not positive definite: leading minor 17");
  EXPECT_EQ(reduce(b, Reduce::min), 3.0);
  EXPECT_EQ(reduce(b, Reduce::max), 3.0);
}

TEST(Errors, ShapesThatDoNotFitAreNamedOnEveryRank) {
  Array<double, 2> a(world(), {3, 4}, {.name = "a"}), b(world(), {5, 6}, {.name = "b"}),
      c(world(), {3, 6}, {.name = "c"});
  const auto text = message_of<UsageError>([&] { linalg::gemm(1, a, b, 0, c); });
  EXPECT_NE(text.find("\"a\" is 3 x 4"), std::string::npos) << text;
  EXPECT_NE(text.find("op(b) is 5 x 6"), std::string::npos) << text;
  EXPECT_NE(message_of<UsageError>([&] { linalg::eigh(a); }).find("square"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::solve_spd(a, b); }).find("square"), std::string::npos);
  Array<double, 2> q(world(), {3, 3}, {.name = "q"});
  EXPECT_NE(message_of<UsageError>([&] { linalg::gemm(1, q, q, 0, q); }).find("also an operand"),
            std::string::npos);
}

TEST(Errors, EighRefusesNaN) {
  Array<double, 2> a(world(), {8, 8}, {.name = "F"});
  fill(a, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(message_of<LinalgError>([&] { linalg::eigh(a); }).find("\"F\" holds NaN"), std::string::npos);
}

TEST(Empty, MatricesWithoutElements) {
  Array<double, 2> a(world(), {0, 0}), tall(world(), {5, 0}), wide(world(), {0, 7}), c(world(), {5, 7});
  EXPECT_TRUE(linalg::eigh(a).values.empty());
  fill(c, 2.0);
  linalg::gemm(1, tall, wide, 0.5, c);
  EXPECT_EQ(reduce(c, Reduce::sum), 35.0);
  fill(c, std::numeric_limits<double>::quiet_NaN());
  linalg::gemm(1, tall, wide, 0, c);
  EXPECT_EQ(reduce(c, Reduce::sum), 0.0);
  Array<double, 2> none(world(), {0, 3});
  linalg::solve_spd(a, none);
}

TEST(Gemm, BetaZeroIgnoresWhatWasThere) {
  Array<double, 2> a(world(), {6, 6}), c(world(), {6, 6});
  fill(a, 1.0), fill(c, std::numeric_limits<double>::quiet_NaN());
  linalg::gemm(1, a, linalg::transpose(a), 0, c);
  EXPECT_EQ(reduce(c, Reduce::min), 6.0);
  EXPECT_EQ(norm_inf(c), 6.0);
}

}  // namespace
}  // namespace tessera
