// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>

#include "spectra.hpp"

// Every kind of routine in every layout, and the errors of its callers.

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

TYPED_TEST(Matrices, gemm_equals_a_triple_loop_for_every_layout_and_transposition) {
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
        const auto left = [&](index_t i, index_t l) {
          return op_a == Op::none ? la(i, l) : op_a == Op::transpose ? la(l, i) : conjugate(la(l, i));
        };
        const auto right = [&](index_t l, index_t j) {
          return op_b == Op::none ? lb(l, j) : conjugate(lb(j, l));
        };
        Local<T> expected(Extents<2>{m, n});
        for (index_t i = 0; i < m; ++i) {
          for (index_t j = 0; j < n; ++j) {
            T sum{};
            for (index_t l = 0; l < k; ++l) sum += left(i, l) * right(l, j);
            expected(i, j) = alpha * sum + beta * lc(i, j);
          }
        }
        EXPECT_TRUE(are_close(all_of(c), expected, tolerance))
            << m << ' ' << n << ' ' << k << ' ' << int(op_a) << int(op_b);
        world().barrier();
      }
    }
  }
}

TYPED_TEST(Matrices, eigh_finds_a_known_spectrum_in_every_layout) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  // n below, at and above the number of ranks.
  for (const index_t n : {index_t{1}, index_t{3}, index_t{40}}) {
    const auto expected = from_one_to(n);
    const auto matrix = of_spectrum<T>(expected);
    const double size = static_cast<double>(n);
    for (const auto& layout : layouts({n, n})) {
      // Many small messages are slow where there are more ranks than cores. So there is one large case for our
      // layout and one for ScaLAPACK's.
      if (n > 3 && !(layout == layouts({n, n})[0]) && !(layout == layouts({n, n})[2])) continue;
      Array<T, 2> a(world(), layout, {.name = "H"});
      set(a, matrix);
      auto [values, vectors] = linalg::eigh(a);
      EXPECT_TRUE(are_close(values, expected, 50 * epsilon * size)) << "n " << n;
      EXPECT_TRUE(vectors.layout() == layout);
      const auto z = all_of(vectors);
      EXPECT_TRUE(are_eigenpairs(matrix, z, values, 100 * epsilon * size));
      EXPECT_TRUE(are_orthonormal(z, 50 * epsilon * std::sqrt(size)));
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().barrier();
    }
  }
}

TYPED_TEST(Matrices, solve_spd_has_a_small_residual_and_keeps_the_matrix) {
  using T = TypeParam;
  const double epsilon = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  for (const auto& [n, columns] : {std::pair<index_t, index_t>{1, 1}, {3, 2}, {40, 7}}) {
    const auto half = random_matrix<T>(n, n, 5), rhs = random_matrix<T>(n, columns, 6);
    auto matrix = product(half, adjoint_of(half));
    for (index_t i = 0; i < n; ++i) matrix(i, i) += T(1);
    for (const auto& layout : layouts({n, n})) {
      Array<T, 2> a(world(), layout, {.name = "S"}), b(world(), {n, columns}, {.name = "b"});
      set(a, matrix), set(b, rhs);
      linalg::solve_spd(a, b);
      EXPECT_TRUE(are_close(product(matrix, all_of(b)), rhs, 500 * epsilon * static_cast<double>(n)));
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().barrier();
    }
  }
}

TEST(Errors, name_the_minor_that_is_not_positive_and_leave_the_right_hand_side) {
  Array<double, 2> s(world(), {20, 20}, {.name = "S"}), b(world(), {20, 1}, {.name = "b"});
  fill(s, 0.0), fill(b, 3.0);
  for_each_local(s, [](Index<2> at, double& x) { x = at[0] != at[1] ? 0 : at[0] == 16 ? -1 : 1; });
  s.sync();
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve_spd(s, b); }),
            "solve_spd: matrix \"S\" is not positive definite: leading minor 17");
  EXPECT_EQ(reduce(b, Reduce::min), 3.0);
  EXPECT_EQ(reduce(b, Reduce::max), 3.0);
}

TEST(Errors, name_shapes_that_do_not_fit_on_every_rank) {
  Array<double, 2> a(world(), {3, 4}, {.name = "a"}), b(world(), {5, 6}, {.name = "b"}),
      c(world(), {3, 6}, {.name = "c"});
  const auto text = message_of<UsageError>([&] { linalg::gemm(1, a, b, 0, c); });
  EXPECT_NE(text.find("\"a\" is 3 x 4"), std::string::npos) << text;
  EXPECT_NE(text.find("op(b) is 5 x 6"), std::string::npos) << text;
  EXPECT_NE(message_of<UsageError>([&] { linalg::eigh(a); }).find("square"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::solve_spd(a, b); }).find("square"), std::string::npos);
  Array<double, 2> q(world(), {3, 3}, {.name = "q"});
  Segment memory(world(), index_t{1} << 12);
  const auto layout = Layout<2>::blocked({12, 12}, world().size());
  Array<double, 2> same(memory, 0, layout), again(memory, 16, layout);
  EXPECT_NE(message_of<UsageError>([&] { linalg::gemm(1, same, same, 0, again); }).find("also an operand"),
            std::string::npos);
  struct Pair {
    double first, second;
  };
  Array<Pair, 2> pairs(world(), {12, 12}, {.name = "pairs"});
  const auto first = pairs.slice().member(&Pair::first);
  fill(first, 2.0);
  fill(same, 1.0);
  EXPECT_NE(
      message_of<UsageError>([&] { linalg::gemm(1, same, same, 0, first); }).find("gemm: the elements of"),
      std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::svdvals(first); }).find("svdvals: the elements of"),
            std::string::npos);
  Array<double, 2> sum(world(), {12, 12});
  linalg::gemm(1, first, same, 0, sum);
  EXPECT_EQ(sum.load({1, 2}), 24.0);
  linalg::symm(linalg::Side::left, linalg::Triangle::lower, 1, first, same, 0, sum);
  EXPECT_EQ(sum.load({2, 1}), 24.0);
  EXPECT_NE(message_of<UsageError>([&] { linalg::gemm(1, q, q, 0, q); }).find("also an operand"),
            std::string::npos);
}

TEST(Errors, of_eigh_name_the_matrix_that_holds_nan) {
  Array<double, 2> a(world(), {8, 8}, {.name = "F"});
  fill(a, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(message_of<LinalgError>([&] { linalg::eigh(a); }).find("\"F\" holds NaN"), std::string::npos);
}

TEST(Empty, matrices_are_multiplied_and_solved) {
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

TEST(Gemm, does_not_read_the_result_if_beta_is_zero) {
  Array<double, 2> a(world(), {6, 6}), c(world(), {6, 6});
  fill(a, 1.0), fill(c, std::numeric_limits<double>::quiet_NaN());
  linalg::gemm(1, a, linalg::transpose(a), 0, c);
  EXPECT_EQ(reduce(c, Reduce::min), 6.0);
  EXPECT_EQ(norm_inf(c), 6.0);
}

}  // namespace
}  // namespace tessera
