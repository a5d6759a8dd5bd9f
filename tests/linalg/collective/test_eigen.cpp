// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "matrix_model.hpp"

// Eigenvalues, singular values and functions of matrices with a known spectrum. For random matrices, the
// residuals are computed element by element.
namespace tessera::test {
namespace {

using linalg::EighOptions;
using linalg::EighSolver;
using linalg::LinalgError;

template <class T>
class Spectra : public testing::Test {
 public:
  static double tolerance(index_t n, double size = 1) {
    return 200 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) * static_cast<double>(n) * size;
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Spectra, Scalars);

// H = 1 - 2 v v^H / (v^H v), which is its own inverse.
template <class T>
Local<T> reflection(index_t n, unsigned seed) {
  const auto v = random_matrix<T>(n, 1, seed);
  RealOf<T> norm = 0;
  for (const T& x : v) norm += std::norm(x);
  auto h = unit<T>(n);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j) h(i, j) -= RealOf<T>(2) / norm * v(i, 0) * conjugate(v(j, 0));
  }
  return h;
}
template <class T>
Local<T> diagonal(const std::vector<double>& values) {
  const auto n = static_cast<index_t>(values.size());
  Local<T> d(Extents<2>{n, n});
  for (index_t i = 0; i < n; ++i) d(i, i) = T(static_cast<RealOf<T>>(values[static_cast<std::size_t>(i)]));
  return d;
}
// A Hermitian matrix with these eigenvalues.
template <class T>
Local<T> of_spectrum(const std::vector<double>& values) {
  const auto h = reflection<T>(static_cast<index_t>(values.size()), 77);
  return product(product(h, diagonal<T>(values)), h);
}
std::vector<double> from_one_to(index_t n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}
template <class V, class W>
double worst_of(const V& found, const W& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
  return worst;
}
// max |a v - b v w|, or without b.
template <class T>
double residual(const Local<T>& a, const Local<T>* b, const Local<T>& v, const std::vector<RealOf<T>>& w) {
  auto right = b == nullptr ? v : product(*b, v);
  for (index_t i = 0; i < right.extents()[0]; ++i) {
    for (index_t j = 0; j < right.extents()[1]; ++j) right(i, j) *= w[static_cast<std::size_t>(j)];
  }
  return distance(product(a, v), right);
}
template <class T>
std::vector<EighSolver> solvers() {
  std::vector<EighSolver> all{EighSolver::automatic, EighSolver::divide_and_conquer, EighSolver::mrrr};
  if (linalg::has_elpa() && sizeof(RealOf<T>) == sizeof(double)) all.push_back(EighSolver::elpa);
  return all;
}

TYPED_TEST(Spectra, some_eigenvalues_by_every_solver) {
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
      // Blocks that leave every process a part, as ELPA needs it. Larger blocks for MRRR.
      now.blocking.block = solver == EighSolver::mrrr ? 13 : 4;
      SCOPED_TRACE(testing::Message() << "solver " << static_cast<int>(solver) << ", " << first << " to "
                                      << last);
      const auto [w, v] = linalg::eigh(a, now);
      const std::vector<double> expected(values.begin() + first, values.begin() + last);
      EXPECT_LT(worst_of(w, expected), this->tolerance(n));
      ASSERT_EQ(v.dims(), Extents<2>(n, last - first));
      const auto vectors = all_of(v);
      EXPECT_LT(residual<T>(matrix, nullptr, vectors, w), this->tolerance(n));
      EXPECT_LT(distance(product(adjoint_of(vectors), vectors), unit<T>(last - first)), this->tolerance(n));
      EXPECT_LT(worst_of(linalg::eigvalsh(a, now), expected), this->tolerance(n));
    }
  }
  EXPECT_EQ(distance(all_of(a), matrix), 0) << "the operand changed";
  world().sync();
}

TYPED_TEST(Spectra, generalised) {
  using T = TypeParam;
  for (const index_t n : {index_t{1}, index_t{3}, index_t{24}}) {
    const auto matrix = of_spectrum<T>(from_one_to(n)), metric = random_spd<T>(n, 9);
    for (const auto& layout : layouts({n, n})) {
      if (n > 3 && !(layout == layouts({n, n})[0]) && !(layout == layouts({n, n})[2])) continue;
      Array<T, 2> a(world(), layout, {.name = "F"}), b(world(), {n, n}, {.name = "S"});
      set(a, matrix), set(b, metric);
      const auto [w, v] = linalg::eigh(a, b);
      const auto vectors = all_of(v);
      EXPECT_LT(residual<T>(matrix, &metric, vectors, w), this->tolerance(n, static_cast<double>(n)));
      EXPECT_LT(distance(product(adjoint_of(vectors), product(metric, vectors)), unit<T>(n)),
                this->tolerance(n));
      EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
      EXPECT_LT(worst_of(linalg::eigvalsh(a, b), w), this->tolerance(n));
      if (n == 24) {
        const auto some = linalg::eigh(a, b, {.indices = EighOptions::Indices{1, 4}});
        EXPECT_LT(worst_of(some.values, std::vector<RealOf<T>>(w.begin() + 1, w.begin() + 4)),
                  this->tolerance(n));
        EXPECT_LT(residual<T>(matrix, &metric, all_of(some.vectors), some.values),
                  this->tolerance(n, static_cast<double>(n)));
      }
      EXPECT_EQ(distance(all_of(a), matrix) + distance(all_of(b), metric), 0) << "an operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Spectra, singular_values_of_all_shapes) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {3, 5}, {20, 17}, {40, 9}, {9, 40}}) {
    const auto matrix = random_matrix<T>(m, n, 61);
    const index_t count = std::min(m, n);
    for (const auto& layout : layouts({m, n})) {
      if (m > 3 && !(layout == layouts({m, n})[0]) && !(layout == layouts({m, n})[2])) continue;
      Array<T, 2> a(world(), layout, {.name = "A"});
      set(a, matrix);
      const auto [u, s, vh] = linalg::svd(a);
      auto left = all_of(u);
      const auto right = all_of(vh);
      EXPECT_LT(distance(product(adjoint_of(left), left), unit<T>(count)), this->tolerance(m));
      EXPECT_LT(distance(product(right, adjoint_of(right)), unit<T>(count)), this->tolerance(n));
      for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < count; ++j) left(i, j) *= s[static_cast<std::size_t>(j)];
      }
      EXPECT_LT(distance(product(left, right), matrix), this->tolerance(std::max(m, n)));
      EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()) && s.back() >= 0);
      EXPECT_LT(worst_of(linalg::svdvals(a), s), this->tolerance(n));
      EXPECT_EQ(distance(all_of(a), matrix), 0) << "the operand changed";
      world().sync();
    }
  }
}

TYPED_TEST(Spectra, of_general_matrices) {
  using T = TypeParam;
  using C = std::complex<RealOf<T>>;
  for (const index_t n : {index_t{1}, index_t{2}, index_t{16}, index_t{17}}) {
    const auto matrix = random_matrix<T>(n, n, 91);
    Local<C> as_complex(Extents<2>{n, n});
    std::copy(matrix.begin(), matrix.end(), as_complex.begin());
    C trace{};
    for (index_t i = 0; i < n; ++i) trace += as_complex(i, i);
    Array<T, 2> a(world(), {n, n}, {.name = "A"});
    set(a, matrix);
    const auto [w, v] = linalg::eig(a);
    auto right = all_of(v);
    for (index_t j = 0; j < n; ++j) {
      double length = 0;
      for (index_t i = 0; i < n; ++i) length += static_cast<double>(std::norm(right(i, j)));
      EXPECT_NEAR(length, 1, this->tolerance(n));
    }
    const auto left = product(as_complex, right);
    C sum{};
    for (index_t j = 0; j < n; ++j) {
      sum += w[static_cast<std::size_t>(j)];
      for (index_t i = 0; i < n; ++i) right(i, j) *= w[static_cast<std::size_t>(j)];
    }
    EXPECT_LT(distance(left, right), this->tolerance(n, 5));
    EXPECT_LT(std::abs(sum - trace), this->tolerance(n));
    // eigvals must give the same values in any order: each value has a match.
    auto others = linalg::eigvals(a);
    ASSERT_EQ(others.size(), w.size());
    for (const C& value : w) {
      const auto like = std::min_element(others.begin(), others.end(), [&](const C& p, const C& q) {
        return std::abs(p - value) < std::abs(q - value);
      });
      EXPECT_LT(std::abs(*like - value), this->tolerance(n, 5));
      others.erase(like);
    }
    EXPECT_EQ(distance(all_of(a), matrix), 0) << "the operand changed";
    world().sync();
  }
}

TYPED_TEST(Spectra, functions_of_matrices) {
  using T = TypeParam;
  const index_t n = 20;
  const auto values = from_one_to(n);
  const auto matrix = of_spectrum<T>(values);
  for (const auto& layout : {layouts({n, n})[0], layouts({n, n})[2]}) {
    Array<T, 2> s(world(), layout, {.name = "S"});
    set(s, matrix);
    const auto root = linalg::power(s, 0.5);
    EXPECT_TRUE(root.layout() == layout);
    const auto half = all_of(root);
    EXPECT_LT(distance(product(half, half), matrix), this->tolerance(n, 20));
    EXPECT_EQ(distance(half, adjoint_of(half)), 0);
    const auto x = all_of(linalg::symmetric_orthogonaliser(s));
    EXPECT_LT(distance(product(x, product(matrix, x)), unit<T>(n)), this->tolerance(n, 5));
    EXPECT_LT(distance(product(half, x), unit<T>(n)), this->tolerance(n, 5));
    EXPECT_LT(distance(all_of(linalg::power(s, -1)), all_of(linalg::inverse_spd(s))), this->tolerance(n, 5));
    std::vector<double> exponentials;
    for (const double value : values) exponentials.push_back(std::exp(-value / 4));
    scale(s, T(RealOf<T>(-0.25)));
    EXPECT_LT(distance(all_of(linalg::exponential(s)), of_spectrum<T>(exponentials)), this->tolerance(n));
    EXPECT_LT(
        distance(all_of(linalg::matrix_function(s, [](double w) { return w * w - 1; })), of_spectrum<T>([&] {
                   std::vector<double> all;
                   for (const double value : values) all.push_back(value * value / 16 - 1);
                   return all;
                 }())),
        this->tolerance(n, 25));
    world().sync();
  }
  // A function that fails on one rank alone fails on all.
  {
    Array<T, 2> s(world(), {n, n}, {.name = "S"});
    fill(s, T(0)), shift_diagonal(s, T(2));
    const int last = world().size() - 1;
    const bool is_last = world().rank() == last;
    const auto fail = [is_last](double w) -> double {
      return is_last ? throw std::runtime_error("bad luck") : w;
    };
    std::string words;
    try {
      (void)linalg::matrix_function(s, fail);
    } catch (const std::runtime_error& error) {
      words = error.what();
    }
    EXPECT_EQ(words,
              is_last ? "bad luck" : "matrix_function: rank " + std::to_string(last) + " failed: bad luck");
    EXPECT_EQ(world().all_reduce(1, Reduce::sum), world().size());
  }
  // Three directions with eigenvalues near zero.
  auto few = values;
  few[0] = 1e-12, few[1] = 0, few[2] = 1e-10;
  const auto singular = of_spectrum<T>(few);
  Array<T, 2> s(world(), {n, n}, {.name = "S"});
  set(s, singular);
  const auto x = linalg::canonical_orthogonaliser(s, 1e-3);
  ASSERT_EQ(x.dims(), Extents<2>(n, n - 3));
  const auto columns = all_of(x);
  EXPECT_LT(distance(product(adjoint_of(columns), product(singular, columns)), unit<T>(n - 3)),
            this->tolerance(n, 5));
  EXPECT_NE(message_of<LinalgError>([&] { linalg::symmetric_orthogonaliser(s); }).find("canonical"),
            std::string::npos);
  world().sync();
}

// Only the lower triangle is read, and an error tells what the elements cannot hold.
TEST(MatrixFunctions, read_one_triangle_and_overflow_with_a_word) {
  Array<double, 2> a(world(), {4, 4}, {.name = "A"});
  for_each_local(a, [](const Index<2>& at, double& x) {
    x = at[1] > at[0] ? std::numeric_limits<double>::quiet_NaN() : at[0] == at[1] ? 2.0 : 1.0;
  });
  a.sync();
  EXPECT_LT(worst_of(linalg::eigvalsh(a), std::vector<double>{1, 1, 1, 5}), 1e-14);
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
TEST(MatrixFunctions, rounding_is_no_direction) {
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

// Matrices that are hard: graded over many magnitudes, of low rank, and Hilbert's.
TEST(HardMatrices, graded_spectra_keep_their_large_values) {
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(std::pow(10.0, i - 18));
  const auto matrix = of_spectrum<double>(values);
  Array<double, 2> a(world(), {24, 24}, {.name = "G"});
  set(a, matrix);
  for (const EighSolver solver : solvers<double>()) {
    const auto [w, v] = linalg::eigh(a, {.solver = solver, .blocking = {.block = 3}});
    EXPECT_LT(worst_of(w, values), 1e-15 * 1e5 * 24 * 10);
    const auto vectors = all_of(v);
    EXPECT_LT(distance(product(adjoint_of(vectors), vectors), unit<double>(24)), 1e-13 * 24);
  }
  const auto s = linalg::svdvals(a);
  EXPECT_LT(worst_of(s, std::vector<double>(values.rbegin(), values.rend())), 1e-15 * 1e5 * 24 * 10);
}

TEST(HardMatrices, rank_is_seen) {
  const auto left = random_matrix<double>(30, 4, 1), right = random_matrix<double>(4, 22, 2);
  Array<double, 2> a(world(), {30, 22}, {.name = "low rank"});
  set(a, product(left, right));
  const auto s = linalg::svdvals(a);
  EXPECT_GT(s[3], 0.1);
  EXPECT_LT(s[4], 1e-13 * 30);
  const auto factors = linalg::qr(a);
  EXPECT_LT(distance(product(all_of(factors.q), all_of(factors.r)), product(left, right)), 1e-13 * 30);
}

TEST(HardMatrices, hilbert) {
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
      EXPECT_LT(distance(product(matrix, all_of(b)), right), 1e-11);
      world().sync();
    }
    EXPECT_LT(worst_of(linalg::eigvalsh(a, {.blocking = blocking}), linalg::eigvalsh(a)), 1e-11);
    EXPECT_LT(worst_of(linalg::svdvals(a, blocking), linalg::svdvals(a)), 1e-11);
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

TEST(EigenEmpty, matrices_without_elements) {
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
