// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "spectra.hpp"

extern "C" void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*,
                       int*);

// Some eigenvalues, by index and by interval, checked against serial LAPACK. For these matrices, a routine that
// computes only some eigenvalues may take the wrong ones. Also the signs of eigenvectors.
namespace tessera::test {
namespace {

using linalg::EighOptions;
using linalg::EighSolver;

using Matrix = Local<double>;

std::vector<double> by_lapack(Matrix a) {
  const int n = static_cast<int>(a.extents()[0]), length = 64 * n;
  std::vector<double> values(static_cast<std::size_t>(n)), work(static_cast<std::size_t>(length));
  int info = 0;
  dsyev_("N", "L", &n, a.data(), &n, values.data(), work.data(), &length, &info);
  EXPECT_EQ(info, 0);
  return values;
}

// Blocks on the diagonal. If `same`, all blocks have the same numbers.
Matrix blocks(index_t n, index_t extent, bool same, unsigned seed) {
  Matrix a(Extents<2>{n, n});
  for (index_t first = 0; first < n; first += extent) {
    const auto block = random_matrix<double>(extent, extent, same ? seed : seed + static_cast<unsigned>(first));
    for (index_t i = 0; i < std::min(extent, n - first); ++i) {
      for (index_t j = 0; j <= i; ++j) a(first + i, first + j) = a(first + j, first + i) = block(i, j);
    }
  }
  return a;
}
// Wilkinson's W+ has pairs of eigenvalues that agree to many digits. Several copies are coupled by `glue`.
Matrix wilkinson(index_t n, index_t extent, double glue) {
  Matrix a(Extents<2>{n, n});
  for (index_t i = 0; i < n; ++i) {
    a(i, i) = std::abs(static_cast<double>(i % extent) - static_cast<double>(extent / 2));
    if (i > 0) a(i, i - 1) = a(i - 1, i) = i % extent == 0 ? glue : 1;
  }
  return a;
}
Matrix graded(index_t n, unsigned seed) {
  auto a = random_matrix<double>(n, n, seed);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j <= i; ++j) {
      a(i, j) *= std::pow(10.0, -static_cast<double>(i + j) / 2);
      a(j, i) = a(i, j);
    }
  }
  return a;
}
// Zeros except at some places.
Matrix sparse(index_t n, unsigned seed) {
  std::mt19937 random(seed);
  Matrix a(Extents<2>{n, n});
  for (index_t k = 0; k < n; ++k) {
    const auto i = static_cast<index_t>(random() % static_cast<unsigned>(n)),
               j = static_cast<index_t>(random() % static_cast<unsigned>(n));
    a(i, j) = a(j, i) = static_cast<double>(random() % 7) - 3;
  }
  return a;
}

// A range of the eigenvalues of a matrix, by one solver.
void check_range(const Array<double, 2>& a, const Matrix& matrix, const std::vector<double>& expected,
                 EighSolver solver, index_t first, index_t last) {
  const index_t n = matrix.extents()[0];
  const double tolerance = 1e-13 * std::max(-expected.front(), expected.back());
  const EighOptions options{
      .indices = EighOptions::Indices{first, last}, .solver = solver, .blocking = {.block = 2}};
  const std::vector<double> wanted(expected.begin() + first, expected.begin() + last);
  EXPECT_TRUE(are_close(linalg::eigvalsh(a, options), wanted, tolerance)) << "values alone";
  const auto [w, v] = linalg::eigh(a, options);
  EXPECT_TRUE(are_close(w, wanted, tolerance)) << "with vectors";
  const auto vectors = all_of(v);
  EXPECT_TRUE(are_eigenpairs(matrix, vectors, w, tolerance));
  EXPECT_TRUE(are_orthonormal(vectors, 1e-12));
  // If there are gaps on both sides, an interval gives the same eigenvalues.
  if (first > 0 && last < n && expected[at(first)] - expected[at(first - 1)] > 0.01 &&
      expected[at(last)] - expected[at(last - 1)] > 0.01) {
    const EighOptions between{.interval = EighOptions::Interval{wanted.front() - 0.005, wanted.back() + 0.005},
                              .solver = solver,
                              .blocking = {.block = 2}};
    EXPECT_TRUE(are_close(linalg::eigvalsh(a, between), wanted, tolerance)) << "by interval";
  }
}

TEST(SomeEigenvalues, of_decoupled_graded_and_glued_matrices_agree_with_lapack) {
  const index_t n = 12;
  const std::vector<Matrix> matrices{blocks(n, 3, true, 1),  blocks(n, 3, false, 2), blocks(n, 1, false, 3),
                                     blocks(n, 5, false, 4), wilkinson(n, 11, 0),    wilkinson(n, 3, 1e-9),
                                     graded(n, 5),           sparse(n, 6),           sparse(n, 7)};
  std::vector<EighSolver> solvers{EighSolver::automatic, EighSolver::qr_iteration};
  if (linalg::has_elpa()) solvers.push_back(EighSolver::elpa);
  // One rank tests all ranges, as calls are cheap there. More ranks test every 17th range.
  const int step = world().size() == 1 ? 1 : 17;
  int number = 0;
  for (const Matrix& matrix : matrices) {
    Array<double, 2> a(world(), {n, n}, {.name = "A"});
    set(a, matrix);
    const auto expected = by_lapack(matrix);
    for (const EighSolver solver : solvers) {
      for (index_t first = 0; first < n; ++first) {
        for (index_t last = first + 1; last <= n; ++last) {
          if (number++ % step != 0) continue;
          SCOPED_TRACE(testing::Message() << "matrix " << &matrix - matrices.data() << ", solver "
                                          << static_cast<int>(solver) << ", " << first << " to " << last);
          check_range(a, matrix, expected, solver, first, last);
        }
      }
    }
    world().sync();
  }
}

// The first of the elements that tie for the largest is positive. So no rounding can flip the sign.
template <class T>
void expect_rule(const Local<T>& v) {
  const double close = sizeof(RealOf<T>) == sizeof(double) ? 1e-6 : 1e-3;
  for (index_t j = 0; j < v.extents()[1]; ++j) {
    double largest = 0;
    for (index_t i = 0; i < v.extents()[0]; ++i) largest = std::max<double>(largest, std::abs(v(i, j)));
    index_t first = 0;
    while (std::abs(v(first, j)) < (1 - close) * largest) ++first;
    EXPECT_GT(std::real(v(first, j)), 0) << "column " << j;
    EXPECT_EQ(std::imag(v(first, j)), 0) << "column " << j;
  }
}

template <class T>
class Signs : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Signs, Scalars);

TYPED_TEST(Signs, are_the_same_on_any_number_of_ranks) {
  using T = TypeParam;
  const index_t n = 8;
  // The eigenvectors of a chain have ties: component i of vector k is sin((i+1)(k+1) pi / (n+1)).
  Array<T, 2> chain(world(), {n, n}, {.name = "chain"});
  for_each_local(chain, [](const Index<2>& at, T& x) { x = std::abs(at[0] - at[1]) == 1 ? T{1} : T{0}; });
  chain.sync();
  const auto [values, found] = linalg::eigh(chain);
  const auto vectors = all_of(found);
  expect_rule(vectors);
  const double tolerance = 1e4 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  Local<T> expected(Extents<2>{n, n});
  for (index_t k = 0; k < n; ++k) {
    // In ascending order: the vector that alternates most is first.
    const auto wave = [&](index_t i) {
      return std::sqrt(2.0 / (n + 1)) *
             std::sin(static_cast<double>((i + 1) * (n - k)) * 3.14159265358979323846 / (n + 1));
    };
    double largest = 0;
    for (index_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(wave(i)));
    index_t first = 0;
    while (std::abs(wave(first)) < (1 - 1e-5) * largest) ++first;
    for (index_t i = 0; i < n; ++i)
      expected(i, k) = T(static_cast<RealOf<T>>(wave(first) < 0 ? -wave(i) : wave(i)));
  }
  EXPECT_TRUE(are_close(vectors, expected, tolerance));
  Local<T> part(Extents<2>{n, 3});
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < 3; ++j) part(i, j) = expected(i, j + 2);
  }
  const EighOptions some{.indices = EighOptions::Indices{2, 5}};
  EXPECT_TRUE(are_close(all_of(linalg::eigh(chain, some).vectors), part, tolerance));
  Array<T, 2> any(world(), {n, 5}, {.name = "any"}), square(world(), {n, n}, {.name = "square"});
  const auto matrix = random_matrix<T>(n, 5, 21);
  set(any, matrix), set(square, random_matrix<T>(n, n, 22));
  const auto [u, s, vh] = linalg::svd(any);
  const auto left = all_of(u);
  expect_rule(left);
  EXPECT_TRUE(are_close(product(scaled_columns(left, s), all_of(vh)), matrix, tolerance));
  expect_rule(all_of(linalg::eig(square).vectors));
  world().sync();
}

// Pairs that are weakly coupled: p?lahqr fails for them, also after a real reflection.
template <class T>
void check_weakly_coupled_pairs(const std::array<std::complex<double>, 4>& expected, double coupling) {
  using C = std::complex<RealOf<T>>;
  Local<T> pairs(Extents<2>{4, 4});
  pairs(0, 1) = pairs(1, 0) = pairs(2, 3) = pairs(3, 2) = T{1};
  pairs(1, 2) = T(static_cast<RealOf<T>>(coupling)), pairs(2, 1) = T(static_cast<RealOf<T>>(-coupling));
  Array<T, 2> a(world(), {4, 4}, {.name = "pairs"});
  set(a, pairs);
  std::vector<C> values;
  for (const auto& value : expected) values.emplace_back(value);
  const auto [w, v] = linalg::eig(a);
  EXPECT_TRUE(are_close_in_any_order(w, values, tolerance<T>(4, 5)));
  EXPECT_TRUE(are_close_in_any_order(linalg::eigvals(a), values, tolerance<T>(4, 5)));
  EXPECT_TRUE(have_small_residuals(pairs, all_of(v), w, tolerance<T>(4, 5)));
  world().sync();
}

TEST(WeaklyCoupled, pairs_have_their_eigenvalues) {
  for (const double h : {1e-3, 1e-6}) {
    SCOPED_TRACE(h);
    // From the characteristic polynomial: x^4 + (h^2 - 2) x^2 + 1
    const std::complex<double> square((2 - h * h) / 2, h * std::sqrt(4 - h * h) / 2), x = std::sqrt(square);
    const std::array<std::complex<double>, 4> expected{x, -x, std::conj(x), -std::conj(x)};
    check_weakly_coupled_pairs<double>(expected, h);
    check_weakly_coupled_pairs<std::complex<double>>(expected, h);
    check_weakly_coupled_pairs<std::complex<float>>(expected, h);
  }
}

// In chains whose couplings alternate.
TEST(WeaklyCoupled, chains_have_the_sum_of_their_squares) {
  using C = std::complex<double>;
  for (const index_t n : {index_t{8}, index_t{20}, index_t{40}, index_t{70}}) {
    for (const double weak : {1e-3, 1e-5}) {
      Local<C> chain(Extents<2>{n, n});
      double trace_of_square = 0;
      for (index_t i = 0; i + 1 < n; ++i) {
        const double coupling = i % 2 == 0 ? 1 : weak, back = i % 2 == 0 ? 1 : -weak;
        chain(i, i + 1) = coupling, chain(i + 1, i) = back;
        trace_of_square += 2 * coupling * back;
      }
      Array<C, 2> a(world(), {n, n}, {.name = "chain"});
      set(a, chain);
      C sum = 0;
      for (const C& x : linalg::eigvals(a)) sum += x * x;
      EXPECT_LE(std::abs(sum - trace_of_square), 1e-11 * static_cast<double>(n)) << n << " " << weak;
      world().sync();
    }
  }
}

// Imaginary parts on the diagonal of a Hermitian matrix are not read, with a metric neither.
TEST(Diagonals, imaginary_parts_are_ignored) {
  using C = std::complex<double>;
  Local<C> matrix(Extents<2>{2, 2}), metric(Extents<2>{2, 2});
  matrix(0, 0) = C(2, 1), matrix(1, 1) = C(3, -7);
  metric(0, 0) = 1, metric(0, 1) = metric(1, 0) = 0.5, metric(1, 1) = 1.25;
  Array<C, 2> a(world(), {2, 2}, {.name = "a"}), b(world(), {2, 2}, {.name = "b"});
  set(a, matrix), set(b, metric);
  EXPECT_TRUE(are_close(linalg::eigvalsh(a, b), std::vector<double>{1.5, 4}, 1e-13));
  EXPECT_TRUE(are_close(linalg::eigh(a, b).values, std::vector<double>{1.5, 4}, 1e-13));
  EXPECT_TRUE(are_close(linalg::eigvalsh(a), std::vector<double>{2, 3}, 1e-13));
  EXPECT_TRUE(are_equal(all_of(a), matrix)) << "an operand changed";
  world().sync();
}

TEST(Diagonals, imaginary_parts_are_ignored_by_elpa) {
  if (!linalg::has_elpa()) GTEST_SKIP() << "no ELPA";
  using C = std::complex<double>;
  const index_t n = 48;
  auto matrix = of_spectrum<C>(from_one_to(n));
  for (index_t i = 0; i < n; ++i) matrix(i, i) += C(0, static_cast<double>(i + 1));
  Array<C, 2> a(world(), {n, n}, {.name = "a"});
  set(a, matrix);
  const auto found = linalg::eigh(a, {.solver = EighSolver::elpa}).values;
  EXPECT_TRUE(are_close(found, from_one_to(n), tolerance<C>(n)));
  world().sync();
}

}  // namespace
}  // namespace tessera::test
