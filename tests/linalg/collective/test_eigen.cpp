// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "spectra.hpp"

// Eigenvalues and singular values of matrices with a known spectrum. For random matrices, the residuals are
// computed element by element.
namespace tessera::test {
namespace {

using linalg::EighOptions;
using linalg::EighSolver;
using linalg::LinalgError;

template <class T>
class Spectra : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Spectra, Scalars);

TYPED_TEST(Spectra, are_selected_by_every_solver) {
  using T = TypeParam;
  const index_t n = 40;
  const auto values = from_one_to(n);
  const auto matrix = of_spectrum<T>(values);
  Array<T, 2> a(world(), {n, n}, {.name = "H"});
  set(a, matrix);
  struct Case {
    EighOptions options;
    index_t first, last;
  };
  for (const EighSolver solver : solvers<T>()) {
    for (const auto& [options, first, last] :
         {Case{{}, 0, n}, Case{{.indices = EighOptions::Indices{0, 7}}, 0, 7},
          Case{{.indices = EighOptions::Indices{11, 12}}, 11, 12},
          Case{{.indices = EighOptions::Indices{5, 5}}, 5, 5},
          Case{{.interval = EighOptions::Interval{2.5, 9.5}}, 2, 9},
          Case{{.interval = EighOptions::Interval{-5, 0.5}}, 0, 0}}) {
      EighOptions now = options;
      now.solver = solver;
      // Blocks that leave every process a part, as ELPA needs it. Larger blocks for QR iterations.
      now.blocking.block = solver == EighSolver::qr_iteration ? 13 : 4;
      SCOPED_TRACE(testing::Message() << "solver " << static_cast<int>(solver) << ", " << first << " to "
                                      << last);
      const auto [w, v] = linalg::eigh(a, now);
      const std::vector<double> expected(values.begin() + first, values.begin() + last);
      EXPECT_TRUE(are_close(w, expected, tolerance<T>(n)));
      ASSERT_EQ(v.dims(), Extents<2>(n, last - first));
      const auto vectors = all_of(v);
      EXPECT_TRUE(are_eigenpairs(matrix, vectors, w, tolerance<T>(n)));
      EXPECT_TRUE(are_orthonormal(vectors, tolerance<T>(n)));
      EXPECT_TRUE(are_close(linalg::eigvalsh(a, now), expected, tolerance<T>(n)));
    }
  }
  EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
  world().sync();
}

// Whether a v = metric v w.
template <class T>
testing::AssertionResult are_eigenpairs_with(const Local<T>& metric, const Local<T>& a, const Local<T>& v,
                                             const std::vector<RealOf<T>>& w, double tolerance) {
  return are_close(product(a, v), scaled_columns(product(metric, v), w), tolerance);
}

TYPED_TEST(Spectra, of_a_matrix_and_a_metric_have_small_residuals) {
  using T = TypeParam;
  for (const index_t n : {index_t{1}, index_t{3}, index_t{24}}) {
    const auto matrix = of_spectrum<T>(from_one_to(n)), metric = random_spd<T>(n, 9);
    for (const auto& layout : layouts({n, n})) {
      if (n > 3 && !(layout == layouts({n, n})[0]) && !(layout == layouts({n, n})[2])) continue;
      Array<T, 2> a(world(), layout, {.name = "F"}), b(world(), {n, n}, {.name = "S"});
      set(a, matrix), set(b, metric);
      const auto [w, v] = linalg::eigh(a, b);
      const auto vectors = all_of(v);
      EXPECT_TRUE(are_eigenpairs_with(metric, matrix, vectors, w, tolerance<T>(n, static_cast<double>(n))));
      EXPECT_TRUE(
          are_close(product(adjoint_of(vectors), product(metric, vectors)), unit<T>(n), tolerance<T>(n)));
      EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
      EXPECT_TRUE(are_close(linalg::eigvalsh(a, b), w, tolerance<T>(n)));
      if (n == 24) {
        const auto some = linalg::eigh(a, b, {.indices = EighOptions::Indices{1, 4}});
        EXPECT_TRUE(
            are_close(some.values, std::vector<RealOf<T>>(w.begin() + 1, w.begin() + 4), tolerance<T>(n)));
        EXPECT_TRUE(are_eigenpairs_with(metric, matrix, all_of(some.vectors), some.values,
                                        tolerance<T>(n, static_cast<double>(n))));
      }
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "an operand changed";
      EXPECT_TRUE(are_equal(all_of(b), metric)) << "an operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Spectra, of_singular_values_give_back_matrices_of_all_shapes) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {3, 5}, {20, 17}, {40, 9}, {9, 40}}) {
    const auto matrix = random_matrix<T>(m, n, 61);
    const index_t count = std::min(m, n);
    for (const auto& layout : layouts({m, n})) {
      if (m > 3 && !(layout == layouts({m, n})[0]) && !(layout == layouts({m, n})[2])) continue;
      Array<T, 2> a(world(), layout, {.name = "A"});
      set(a, matrix);
      const auto [u, s, vh] = linalg::svd(a);
      EXPECT_EQ(u.dims(), Extents<2>(m, count));
      EXPECT_EQ(vh.dims(), Extents<2>(count, n));
      const auto left = all_of(u), right = all_of(vh);
      EXPECT_TRUE(are_orthonormal(left, tolerance<T>(m)));
      EXPECT_TRUE(are_orthonormal(adjoint_of(right), tolerance<T>(n)));
      EXPECT_TRUE(are_close(product(scaled_columns(left, s), right), matrix, tolerance<T>(std::max(m, n))));
      EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()) && s.back() >= 0);
      EXPECT_TRUE(are_close(linalg::svdvals(a), s, tolerance<T>(n)));
      EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Spectra, of_general_matrices_have_small_residuals) {
  using T = TypeParam;
  using C = std::complex<RealOf<T>>;
  for (const index_t n : {index_t{1}, index_t{2}, index_t{16}, index_t{17}}) {
    const auto matrix = random_matrix<T>(n, n, 91);
    C trace{};
    for (index_t i = 0; i < n; ++i) trace += matrix(i, i);
    Array<T, 2> a(world(), {n, n}, {.name = "A"});
    set(a, matrix);
    const auto [w, v] = linalg::eig(a);
    const auto right = all_of(v);
    for (index_t j = 0; j < n; ++j) {
      double length = 0;
      for (index_t i = 0; i < n; ++i) length += static_cast<double>(std::norm(right(i, j)));
      EXPECT_NEAR(length, 1, tolerance<T>(n));
    }
    EXPECT_TRUE(have_small_residuals(matrix, right, w, tolerance<T>(n, 5)));
    const C sum = std::accumulate(w.begin(), w.end(), C{});
    EXPECT_LT(std::abs(sum - trace), tolerance<T>(n));
    EXPECT_TRUE(are_close_in_any_order(w, linalg::eigvals(a), tolerance<T>(n, 5)));
    EXPECT_TRUE(are_equal(all_of(a), matrix)) << "the operand changed";
    world().sync();
  }
}

// Permutations and companion matrices of x^n - c have eigenvalues on a circle. Shifts from corners of zeros do
// not change them.
TYPED_TEST(Spectra, of_cycles_are_found) {
  using T = TypeParam;
  using C = std::complex<RealOf<T>>;
  for (const auto& [n, power] : {std::pair<index_t, int>{2, 1}, {3, 1}, {6, 1}, {7, 3}, {24, 1}, {35, 1}}) {
    SCOPED_TRACE(n);
    Local<T> cycle(Extents<2>{n, n});
    for (index_t i = 0; i + 1 < n; ++i) cycle(i, i + 1) = T{1};
    cycle(n - 1, 0) = T(static_cast<RealOf<T>>(power));
    const double radius = std::pow(power, 1.0 / static_cast<double>(n));
    std::vector<C> expected;
    for (index_t k = 0; k < n; ++k)
      expected.emplace_back(
          std::polar(radius, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    Array<T, 2> a(world(), {n, n}, {.name = "cycle"});
    set(a, cycle);
    const auto [w, v] = linalg::eig(a);
    EXPECT_TRUE(are_close_in_any_order(w, expected, tolerance<T>(n, 5)));
    EXPECT_TRUE(are_close_in_any_order(linalg::eigvals(a), expected, tolerance<T>(n, 5)));
    EXPECT_TRUE(have_small_residuals(cycle, all_of(v), w, tolerance<T>(n, 5)));
    world().sync();
  }
}

// Tridiagonal matrices whose diagonal elements are equal, for which ScaLAPACK's own vectors are wrong.
TYPED_TEST(Spectra, of_equal_diagonals_have_small_residuals) {
  using T = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const index_t n = 1 + seed;
    auto matrix = random_matrix<T>(n, n, seed);
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j)
        matrix(i, j) = i == j ? T(static_cast<RealOf<T>>(seed % 3)) : std::abs(i - j) == 1 ? matrix(i, j) : T{};
    }
    Array<T, 2> a(world(), {n, n}, {.name = "A"});
    set(a, matrix);
    const auto [w, v] = linalg::eig(a);
    EXPECT_TRUE(have_small_residuals(matrix, all_of(v), w, tolerance<T>(n, 5)));
    world().sync();
  }
}

// D B / D for powers of two D has the eigenvalues of B, and D times its vectors.
TYPED_TEST(Spectra, of_badly_scaled_matrices_are_those_of_balanced_ones) {
  using T = TypeParam;
  using R = RealOf<T>;
  const index_t n = 13;
  const auto exponent = [](index_t i) {
    return static_cast<int>(i * 5 % 13 - 6) * (std::numeric_limits<R>::max_exponent / 16);
  };
  const auto matrix = random_matrix<T>(n, n, 5);
  auto scaled = matrix;
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j) scaled(i, j) = matrix(i, j) * std::ldexp(R{1}, exponent(i) - exponent(j));
  }
  Array<T, 2> a(world(), {n, n}, {.name = "A"}), b(world(), {n, n}, {.name = "B"});
  set(a, scaled), set(b, matrix);
  const auto expected = linalg::eig(b);
  const auto found = linalg::eig(a);
  EXPECT_TRUE(are_close_in_any_order(found.values, expected.values, tolerance<T>(n, 5)));
  EXPECT_TRUE(are_close_in_any_order(linalg::eigvals(a), expected.values, tolerance<T>(n, 5)));
  // The residual of D^-1 v for B.
  auto right = all_of(found.vectors);
  for (index_t j = 0; j < n; ++j) {
    R largest{};
    for (index_t i = 0; i < n; ++i) {
      right(i, j) *= std::ldexp(R{1}, -exponent(i));
      largest = std::max(largest, std::abs(right(i, j)));
    }
    for (index_t i = 0; i < n; ++i) right(i, j) /= largest;
  }
  EXPECT_TRUE(have_small_residuals(matrix, right, found.values, tolerance<T>(n, 20)));
}

// Matrices that are hard: graded over many magnitudes, of low rank, and Hilbert's.
TEST(HardMatrices, graded_spectra_keep_their_large_values) {
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(std::pow(10.0, i - 18));
  const auto matrix = of_spectrum<double>(values);
  Array<double, 2> a(world(), {24, 24}, {.name = "G"});
  set(a, matrix);
  for (const EighSolver solver : solvers<double>()) {
    const auto [w, v] = linalg::eigh(a, {.solver = solver, .blocking = {.block = 3}});
    EXPECT_TRUE(are_close(w, values, 1e-15 * 1e5 * 24 * 10));
    EXPECT_EQ(v.dims(), Extents<2>(24, 24));
    EXPECT_TRUE(are_orthonormal(all_of(v), 1e-13 * 24));
  }
  EXPECT_TRUE(are_close(linalg::svdvals(a), std::vector<double>(values.rbegin(), values.rend()),
                        1e-15 * 1e5 * 24 * 10));
}

// The Laplacian of a path has the eigenvalues 2 - 2 cos(pi k / n), of which one is 0. With couplings far below
// rounding, all are 1. ScaLAPACK's p?syevr did not end, or failed.
TEST(HardMatrices, singular_laplacians_and_identities_with_tiny_couplings_are_solved) {
  for (index_t n = 2; n <= 9; ++n) {
    SCOPED_TRACE(n);
    Local<double> path(Extents<2>{n, n}), near_one = unit<double>(n);
    std::vector<double> expected;
    for (index_t i = 0; i < n; ++i) {
      path(i, i) = (i > 0) + (i + 1 < n);
      if (i > 0) path(i, i - 1) = path(i - 1, i) = -1, near_one(i, i - 1) = near_one(i - 1, i) = 1e-18;
      expected.push_back(2 - 2 * std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(n)));
    }
    Array<double, 2> a(world(), {n, n}, {.name = "Laplacian"}), b(world(), {n, n}, {.name = "near one"});
    set(a, path), set(b, near_one);
    for (const EighSolver solver : solvers<double>()) {
      if (solver == EighSolver::elpa) continue;  // it wants a part for every process
      const auto [w, v] = linalg::eigh(a, {.solver = solver});
      EXPECT_TRUE(are_close(w, expected, tolerance<double>(n)));
      EXPECT_TRUE(are_eigenpairs(path, all_of(v), w, tolerance<double>(n)));
      EXPECT_TRUE(are_close(linalg::eigvalsh(a, {.solver = solver}), expected, tolerance<double>(n)));
      const std::vector<double> ones(at(n), 1.0);
      EXPECT_TRUE(are_close(linalg::eigvalsh(b, {.solver = solver}), ones, tolerance<double>(n)));
    }
    world().sync();
  }
}

// OpenBLAS's ssymv reads what other calls have left in its buffer, with kernels for processors without AVX.
TEST(HardMatrices, single_precision_does_not_depend_on_earlier_calls) {
  for (index_t n = 1; n <= 15; ++n) {
    SCOPED_TRACE(n);
    const auto values = from_one_to(n);
    const auto matrix = of_spectrum<float>(values);
    Array<float, 2> single(world(), {n, n}, {.name = "single"});
    set(single, matrix);
    Array<double, 2> other(world(), {12, 12}, {.name = "double"});
    set(other, random_matrix<double>(12, 12, static_cast<unsigned>(n)));
    linalg::svd(other);
    linalg::eigh(other);
    const auto [w, v] = linalg::eigh(single);
    EXPECT_TRUE(are_close(w, values, tolerance<float>(n)));
    EXPECT_TRUE(are_eigenpairs(matrix, all_of(v), w, tolerance<float>(n)));
    world().sync();
  }
}

TEST(HardMatrices, low_rank_is_seen_in_singular_values) {
  const auto left = random_matrix<double>(30, 4, 1), right = random_matrix<double>(4, 22, 2);
  Array<double, 2> a(world(), {30, 22}, {.name = "low rank"});
  set(a, product(left, right));
  const auto s = linalg::svdvals(a);
  EXPECT_GT(s[3], 0.1);
  EXPECT_LT(s[4], 1e-13 * 30);
  const auto factors = linalg::qr(a);
  EXPECT_TRUE(are_close(product(all_of(factors.q), all_of(factors.r)), product(left, right), 1e-13 * 30));
}

TEST(HardMatrices, of_hilbert_have_the_published_values) {
  // Of order 8 the determinant is 2.73705e-33 and the condition in the 1-norm 3.3872791e10 (Choi 1983; MATLAB's
  // cond(hilb(8), 1)), and the inverse has whole numbers.
  const index_t n = 8;
  Array<double, 2> a(world(), {n, n}, {.name = "Hilbert"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = 1.0 / static_cast<double>(at[0] + at[1] + 1); });
  a.sync();
  EXPECT_NEAR(linalg::log_determinant(a).log_magnitude, std::log(2.737050113791513e-33), 1e-5);
  EXPECT_NEAR(linalg::condition(a) / 3.3872791e10, 1, 1e-4);
  const auto inverse = all_of(linalg::inverse_spd(a));
  EXPECT_NEAR(inverse(0, 0), 64, 1e-4);
  EXPECT_NEAR(inverse(0, 1), -2016, 1e-2);
  EXPECT_NEAR(linalg::eigvalsh(a).back(), 1.6959389969219494, 1e-13);
}

TEST(Blockings, are_used_and_checked) {
  const index_t n = 30;
  const auto matrix = random_spd<double>(n, 4), right = random_matrix<double>(n, 3, 5);
  Array<double, 2> a(world(), {n, n}, {.name = "A"}), b(world(), {n, 3}, {.name = "b"});
  set(a, matrix);
  const int ranks = world().size();
  for (const linalg::Blocking& blocking : {linalg::Blocking{.block = 5},
                                           {.block = 0, .rows = ranks, .columns = 1},
                                           {.block = 7, .rows = 1, .columns = ranks},
                                           {.block = 3, .rows = 1, .columns = 1}}) {
    for (const int way : {0, 1}) {
      set(b, right);
      way == 0 ? linalg::solve(a, b, blocking) : linalg::solve_spd(a, b, blocking);
      EXPECT_TRUE(are_close(product(matrix, all_of(b)), right, 1e-11));
      world().sync();
    }
    EXPECT_TRUE(are_close(linalg::eigvalsh(a, {.blocking = blocking}), linalg::eigvalsh(a), 1e-11));
    EXPECT_TRUE(are_close(linalg::svdvals(a, blocking), linalg::svdvals(a), 1e-11));
  }
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::solve(a, b, {.block = 0, .rows = ranks + 1, .columns = 1});
            }).find("the group has"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::cholesky(a, {.block = -1}); }).find("negative"),
            std::string::npos);
}

TEST(EigenErrors, say_what_is_wrong_on_every_rank) {
  Array<double, 2> a(world(), {6, 6}, {.name = "F"}), s(world(), {6, 6}, {.name = "S"});
  fill(a, 1.0), fill(s, 0.0), fill_diagonal(s, 1.0);
  for_each_local(s, [](const Index<2>& at, double& x) {
    if (at[0] == 3 && at[1] == 3) x = -1;
  });
  s.sync();
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::eigh(a, s); }),
            "eigh: matrix \"S\" is not positive definite: leading minor 4");
  EXPECT_NE(message_of<LinalgError>([&] { linalg::power(s, 0.5); }).find("eigenvalue 1 is -1"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::eigh(a, {.indices = EighOptions::Indices{0, 7}});
            }).find("within the 6"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::eigh(a, {.interval = EighOptions::Interval{1, 1}});
            }).find("empty"),
            std::string::npos);
  Array<float, 2> single(world(), {6, 6});
  fill(single, 1.0F);
  EXPECT_NE(message_of<UsageError>([&] { linalg::eigh(single, {.solver = EighSolver::elpa}); }).find("ELPA"),
            std::string::npos);
  if (!linalg::has_elpa()) {
    EXPECT_NE(message_of<UsageError>([&] { linalg::eigh(a, {.solver = EighSolver::elpa}); }).find("no ELPA"),
              std::string::npos);
  }
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::eigvalsh(single, {.interval = EighOptions::Interval{1, 1 + 1e-9}});
            }).find("empty in the precision"),
            std::string::npos);
  fill(a, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(message_of<LinalgError>([&] { linalg::svd(a); }).find("NaN"), std::string::npos);
  EXPECT_NE(message_of<LinalgError>([&] { linalg::eig(a); }).find("NaN"), std::string::npos);
}

TEST(EigenEmpty, matrices_have_no_values) {
  Array<double, 2> none(world(), {0, 0}), tall(world(), {5, 0});
  EXPECT_TRUE(linalg::eigh(none).values.empty());
  EXPECT_TRUE(linalg::eig(none).values.empty());
  EXPECT_TRUE(linalg::svd(tall).s.empty());
  EXPECT_EQ(linalg::svd(tall).u.dims(), Extents<2>(5, 0));
  EXPECT_EQ(linalg::exponential(none).dims(), Extents<2>(0, 0));
  EXPECT_EQ(linalg::canonical_orthogonaliser(none).dims(), Extents<2>(0, 0));
}

}  // namespace
}  // namespace tessera::test
