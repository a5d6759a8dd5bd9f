// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "matrix_model.hpp"

// Matrices and blocks of any extents on any grid, checked against serial LAPACK.

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
using In = const int*;
#define TESSERA_DECLARE(p, T)                        \
  void p##gesv_(In, In, T*, In, int*, T*, In, int*); \
  void p##geqrf_(In, In, T*, In, T*, T*, In, int*);
TESSERA_DECLARE(s, float)
TESSERA_DECLARE(d, double)
TESSERA_DECLARE(c, c64)
TESSERA_DECLARE(z, c128)
#undef TESSERA_DECLARE
#define TESSERA_DECLARE(p, T)                                            \
  void p##syev_(const char*, const char*, In, T*, In, T*, T*, In, int*); \
  void p##gesvd_(const char*, const char*, In, In, T*, In, T*, T*, In, T*, In, T*, In, int*);
TESSERA_DECLARE(s, float)
TESSERA_DECLARE(d, double)
#undef TESSERA_DECLARE
#define TESSERA_DECLARE(p, T, R)                                             \
  void p##heev_(const char*, const char*, In, T*, In, R*, T*, In, R*, int*); \
  void p##gesvd_(const char*, const char*, In, In, T*, In, R*, T*, In, T*, In, T*, In, R*, int*);
TESSERA_DECLARE(c, c64, float)
TESSERA_DECLARE(z, c128, double)
#undef TESSERA_DECLARE
}

namespace tessera::test {
namespace {

// LAPACK stores matrices by columns, so it sees the transposes of ours.
template <class T>
Local<T> transposed(const Local<T>& a) {
  Local<T> c(Extents<2>{a.extents()[1], a.extents()[0]});
  for (index_t i = 0; i < a.extents()[0]; ++i) {
    for (index_t j = 0; j < a.extents()[1]; ++j) c(j, i) = a(i, j);
  }
  return c;
}

template <class T>
struct Lapack {
  using Real = RealOf<T>;
  std::vector<T> work = std::vector<T>(1 << 16);
  std::vector<Real> reals = std::vector<Real>(1 << 12);
  int length = static_cast<int>(work.size()), info = 0;
  const int one = 1;

  // Uses the lower triangle, which LAPACK sees as the upper one. The conjugate has the same eigenvalues.
  std::vector<Real> eigenvalues(Local<T> a) {
    const int n = static_cast<int>(a.extents()[0]);
    std::vector<Real> w(static_cast<std::size_t>(n));
    syev(&n, a.data(), w.data());
    EXPECT_EQ(info, 0);
    return w;
  }
  std::vector<Real> singular_values(Local<T> a) {
    const int n = static_cast<int>(a.extents()[0]), m = static_cast<int>(a.extents()[1]);
    std::vector<Real> s(static_cast<std::size_t>(std::min(m, n)));
    gesvd(&m, &n, a.data(), s.data());
    EXPECT_EQ(info, 0);
    return s;
  }
  // R is unique but for the phases of its rows.
  Local<T> r(const Local<T>& a) {
    const int m = static_cast<int>(a.extents()[0]), n = static_cast<int>(a.extents()[1]);
    auto factors = transposed(a);
    std::vector<T> scales(static_cast<std::size_t>(std::min(m, n)));
    geqrf(&m, &n, factors.data(), scales.data());
    EXPECT_EQ(info, 0);
    const auto all = transposed(factors);
    Local<T> result(Extents<2>{std::min(m, n), n});
    for (index_t i = 0; i < std::min(m, n); ++i) {
      for (index_t j = i; j < n; ++j) result(i, j) = all(i, j);
    }
    return result;
  }
  Local<T> solution(const Local<T>& a, const Local<T>& b) {
    const int n = static_cast<int>(a.extents()[0]), columns = static_cast<int>(b.extents()[1]);
    auto factors = transposed(a), x = transposed(b);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    gesv(&n, &columns, factors.data(), pivots.data(), x.data());
    EXPECT_EQ(info, 0);
    return transposed(x);
  }

 private:
  void syev(In n, T* a, Real* w);
  void gesvd(In m, In n, T* a, Real* s);
  void geqrf(In m, In n, T* a, T* scales);
  void gesv(In n, In columns, T* a, int* pivots, T* b);
};

#define TESSERA_DEFINE(p, T, symmetric, ...)                                                 \
  template <>                                                                                \
  void Lapack<T>::syev(In n, T* a, Real* w) {                                                \
    symmetric("N", "U", n, a, n, w, work.data(), &length __VA_OPT__(, ) __VA_ARGS__, &info); \
  }                                                                                          \
  template <>                                                                                \
  void Lapack<T>::gesvd(In m, In n, T* a, Real* s) {                                         \
    T none{};                                                                                \
    p##gesvd_("N", "N", m, n, a, m, s, &none, &one, &none, &one, work.data(),                \
              &length __VA_OPT__(, ) __VA_ARGS__, &info);                                    \
  }                                                                                          \
  template <>                                                                                \
  void Lapack<T>::geqrf(In m, In n, T* a, T* scales) {                                       \
    p##geqrf_(m, n, a, m, scales, work.data(), &length, &info);                              \
  }                                                                                          \
  template <>                                                                                \
  void Lapack<T>::gesv(In n, In columns, T* a, int* pivots, T* b) {                          \
    p##gesv_(n, columns, a, n, pivots, b, n, &info);                                         \
  }
TESSERA_DEFINE(s, float, ssyev_)
TESSERA_DEFINE(d, double, dsyev_)
TESSERA_DEFINE(c, c64, cheev_, reals.data())
TESSERA_DEFINE(z, c128, zheev_, reals.data())
#undef TESSERA_DEFINE

template <class T>
Local<T> magnitudes(Local<T> a) {
  for (T& x : a) x = std::abs(x);
  return a;
}
// Three vectors distinguish a wrong matrix from a right one with n^2 work.
template <class T>
Local<T> few(index_t n) {
  return random_matrix<T>(n, 3, 7);
}
// Whether the columns are orthonormal, as far as these vectors show it.
template <class T>
testing::AssertionResult keep_lengths(const Local<T>& a, double tolerance) {
  const auto x = few<T>(a.extents()[1]);
  return are_close(product(adjoint_of(a), product(a, x)), x, tolerance);
}
template <class T>
Array<T, 2> spread(const Local<T>& values, const char* name) {
  Array<T, 2> a(world(), values.extents(), {.name = name});
  set(a, values);
  return a;
}

template <class T>
class Sweep : public testing::Test {
 protected:
  using Real = RealOf<T>;
  Lapack<T> lapack;

  static double tolerance(index_t n, double size) {
    return 30 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * static_cast<double>(n + 4) * size;
  }
  void check_eigh(index_t n, const linalg::Blocking& blocking, unsigned seed) {
    auto matrix = random_matrix<T>(n, n, seed);
    for (index_t i = 0; i < n; ++i) {
      matrix(i, i) = std::real(matrix(i, i));
      for (index_t j = 0; j < i; ++j) matrix(j, i) = conjugate(matrix(i, j));
    }
    const auto expected = lapack.eigenvalues(matrix);
    const double size = std::abs(expected.front()) + std::abs(expected.back());
    const auto a = spread(matrix, "H");
    for (const auto solver : {linalg::EighSolver::divide_and_conquer, linalg::EighSolver::qr_iteration}) {
      const auto [w, v] = linalg::eigh(a, {.solver = solver, .blocking = blocking});
      const auto vectors = all_of(v), x = few<T>(n);
      EXPECT_TRUE(are_close(w, expected, tolerance(n, size)));
      EXPECT_TRUE(are_close(product(matrix, product(vectors, x)), product(vectors, scaled_rows(x, w)),
                            tolerance(n, size)));
      EXPECT_TRUE(keep_lengths(vectors, tolerance(n, 1)));
    }
    EXPECT_TRUE(are_close(linalg::eigvalsh(a, {.blocking = blocking}), expected, tolerance(n, size)));
  }
  void check_svd(index_t m, index_t n, const linalg::Blocking& blocking, unsigned seed) {
    const auto matrix = random_matrix<T>(m, n, seed);
    const auto expected = lapack.singular_values(matrix);
    const index_t most = std::max(m, n);
    const double size = expected.front();
    const auto [u, s, vh] = linalg::svd(spread(matrix, "A"), blocking);
    const auto left = all_of(u), right = all_of(vh), x = few<T>(n);
    EXPECT_TRUE(are_close(s, expected, tolerance(most, size)));
    EXPECT_TRUE(
        are_close(product(left, scaled_rows(product(right, x), s)), product(matrix, x), tolerance(most, size)));
    EXPECT_TRUE(keep_lengths(left, tolerance(most, 1)));
    EXPECT_TRUE(keep_lengths(adjoint_of(right), tolerance(most, 1)));
  }
  void check_qr(index_t m, index_t n, const linalg::Blocking& blocking, unsigned seed) {
    const auto matrix = random_matrix<T>(m, n, seed);
    const index_t most = std::max(m, n), least = std::min(m, n);
    const auto size = std::sqrt(static_cast<double>(most));
    const auto [q, r] = linalg::qr(spread(matrix, "A"), blocking);
    const auto left = all_of(q), right = all_of(r), x = few<T>(n);
    EXPECT_TRUE(are_close(product(left, product(right, x)), product(matrix, x), tolerance(most, size)));
    EXPECT_TRUE(keep_lengths(left, tolerance(most, 1)));
    // The last rows of R are not well determined where the matrix is nearly square.
    const index_t rows = (least + 1) / 2;
    const auto known = magnitudes(lapack.r(matrix)), found = magnitudes(right);
    LargestDistance distance;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < n; ++j) distance(Index<2>{i, j}, known(i, j), found(i, j));
    }
    EXPECT_TRUE(distance.below(100 * tolerance(most, size)));
  }
  void check_solve(index_t n, index_t columns, const linalg::Blocking& blocking, unsigned seed) {
    auto matrix = random_matrix<T>(n, n, seed);
    for (index_t i = 0; i < n; ++i) matrix(i, (i + 1) % n) += T(static_cast<Real>(n));
    const auto right = random_matrix<T>(n, columns, seed + 1);
    auto x = spread(right, "B");
    linalg::solve(spread(matrix, "A"), x, blocking);
    EXPECT_TRUE(are_close(all_of(x), lapack.solution(matrix, right), tolerance(n, 1)));
    EXPECT_TRUE(are_close(product(matrix, all_of(x)), right, tolerance(n, static_cast<double>(n))));
  }
};
using AllScalars = testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(Sweep, AllScalars);

TYPED_TEST(Sweep, agrees_with_lapack_for_any_extents_and_blocks) {
  std::mt19937 random(static_cast<unsigned>(sizeof(TypeParam)) +
                      (std::is_floating_point_v<TypeParam> ? 0U : 1U));
  const auto any = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  // Among them are blocks of 1, blocks larger than the matrix, and matrices smaller than the grid.
  for (int sample = 0; sample < 5; ++sample) {
    const int largest = sample % 4 == 0 ? 6 : 130;
    const index_t m = any(1, largest), n = any(1, largest);
    const int block = any(1, sample % 3 == 0 ? 8 : 130);
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}}) {
      if (rows * columns > world().size()) continue;
      SCOPED_TRACE(testing::Message() << m << " x " << n << " in blocks of " << block << " on " << rows << " x "
                                      << columns);
      const linalg::Blocking blocking{block, rows, columns};
      const auto seed = static_cast<unsigned>(sample);
      this->check_eigh(n, blocking, seed);
      this->check_svd(m, n, blocking, seed);
      this->check_qr(m, n, blocking, seed);
      this->check_solve(n, 1 + sample % 3, blocking, seed);
    }
  }
}

}  // namespace
}  // namespace tessera::test
