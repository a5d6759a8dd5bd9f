// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "matrix_model.hpp"

// Matrices with known eigenvalues, and checks of what routines find for them.
namespace tessera::test {

/// What routines may be off by, for n numbers of a size. @local
template <class T>
double tolerance(index_t n, double size = 1) {
  return 200 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) * static_cast<double>(n) * size;
}

/// H = 1 - 2 v v^H / (v^H v), which is its own inverse. @local
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
  for (index_t i = 0; i < n; ++i) d(i, i) = T(static_cast<RealOf<T>>(values[at(i)]));
  return d;
}
/// A Hermitian matrix with these eigenvalues. @local
template <class T>
Local<T> of_spectrum(const std::vector<double>& values) {
  const auto h = reflection<T>(static_cast<index_t>(values.size()), 77);
  return product(product(h, diagonal<T>(values)), h);
}
inline std::vector<double> from_one_to(index_t n) {
  std::vector<double> values(at(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

/// The solvers that work on this type here. @local
template <class T>
std::vector<linalg::EighSolver> solvers() {
  using linalg::EighSolver;
  std::vector<EighSolver> all{EighSolver::automatic, EighSolver::divide_and_conquer, EighSolver::qr_iteration};
  if (linalg::has_elpa() && sizeof(RealOf<T>) == sizeof(double)) all.push_back(EighSolver::elpa);
  return all;
}

/// Whether a v = v w, with one value for each column. @local
template <class T>
testing::AssertionResult are_eigenpairs(const Local<T>& a, const Local<T>& v, const std::vector<RealOf<T>>& w,
                                        double tolerance) {
  if (at(v.extents()[1]) != w.size())
    return testing::AssertionFailure() << v.extents()[1] << " vectors for " << w.size() << " values";
  return are_close(product(a, v), scaled_columns(v, w), tolerance);
}
/// Whether a v = v w, for a real or complex matrix and complex vectors. @local
template <class T, class C>
testing::AssertionResult have_small_residuals(const Local<T>& a, const Local<C>& v, const std::vector<C>& w,
                                              double bound) {
  Local<C> as_complex(a.extents());
  std::copy(a.begin(), a.end(), as_complex.begin());
  return are_close(product(as_complex, v), scaled_columns(v, w), bound);
}
/// Whether the columns are orthonormal. @local
template <class T>
testing::AssertionResult are_orthonormal(const Local<T>& v, double tolerance) {
  return are_close(product(adjoint_of(v), v), unit<T>(v.extents()[1]), tolerance);
}

/// Whether each value is less than `tolerance` from a match of its own. @local
template <class C>
testing::AssertionResult are_close_in_any_order(const std::vector<C>& found, std::vector<C> expected,
                                                double tolerance) {
  if (found.size() != expected.size())
    return testing::AssertionFailure()
           << found.size() << " values where " << expected.size() << " are expected";
  LargestDistance distance;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto like = std::min_element(expected.begin(), expected.end(), [&](const C& p, const C& q) {
      return std::abs(p - found[i]) < std::abs(q - found[i]);
    });
    distance(i, *like, found[i]);
    expected.erase(like);
  }
  return distance.below(tolerance);
}

}  // namespace tessera::test
