// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

// Factors of matrices, and what follows from them. Matrices are arrays or slices of any layout, and are
// unchanged. Results are new arrays. The factors of qr() are blocked. Other results have the layout of `a` if
// `a` is an array, and are blocked if it is a slice. All routines throw LinalgError on every rank if the matrix
// holds NaN or infinity, or the result is out of the range of its type.
namespace tessera::linalg {

namespace detail {
using tessera::detail::SliceCore;
void cholesky(const SliceCore& a, const SliceCore& l, const Blocking& blocking);
void qr(const SliceCore& a, const SliceCore& q, const SliceCore& r, const Blocking& blocking);
void inverse(const SliceCore& a, const SliceCore& result, const Blocking& blocking);
void inverse_spd(const SliceCore& a, const SliceCore& result, const Blocking& blocking);
void log_determinant(const SliceCore& a, void* sign, double& magnitude, const Blocking& blocking);
double condition(const SliceCore& a, const Blocking& blocking);
}  // namespace detail

/// The factor L of a = L L^H, for a symmetric or Hermitian positive definite matrix. Only the lower triangle of
/// `a` is read. L is zero above the diagonal. Through ScaLAPACK's p?potrf. @collective
/// @throws UsageError if `a` is not square; LinalgError if it is not positive definite. On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> cholesky(const A& a, const Blocking& blocking = {}) {
  auto l = detail::array_like(a, "Cholesky factor");
  detail::cholesky(slice_of(a).core(), slice_of(l).core(), blocking);
  return l;
}

/// a = q r. q has orthonormal columns, as many as the smaller extent of `a`; r is zero below the diagonal.
template <MatrixElement T>
struct QR {
  Array<T, 2> q, r;
};

/// `auto [q, r] = qr(a);` Through ScaLAPACK's p?geqrf and p?orgqr or p?ungqr. @collective
template <ScalarMatrix A>
QR<value_t<A>> qr(const A& a, const Blocking& blocking = {}) {
  const index_t m = a.dims()[0], n = a.dims()[1], least = std::min(m, n);
  QR<value_t<A>> factors{{a.group(), {m, least}, {.name = "q"}}, {a.group(), {least, n}, {.name = "r"}}};
  detail::qr(slice_of(a).core(), slice_of(factors.q).core(), slice_of(factors.r).core(), blocking);
  return factors;
}

/// The inverse of a matrix; to solve equations, solve() is faster and more accurate. Through ScaLAPACK's
/// p?getrf and p?getri. @collective
/// @throws UsageError if `a` is not square; LinalgError if it is singular. On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> inverse(const A& a, const Blocking& blocking = {}) {
  auto result = detail::array_like(a, "inverse");
  detail::inverse(slice_of(a).core(), slice_of(result).core(), blocking);
  return result;
}

/// The inverse of a symmetric or Hermitian positive definite matrix, of which only the lower triangle is read.
/// Through ScaLAPACK's p?potrf and p?potri. @collective
/// @throws UsageError if `a` is not square; LinalgError if it is not positive definite. On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> inverse_spd(const A& a, const Blocking& blocking = {}) {
  auto result = detail::array_like(a, "inverse");
  detail::inverse_spd(slice_of(a).core(), slice_of(result).core(), blocking);
  return result;
}

/// A determinant as sign * exp(log_magnitude), because it may be out of the range of a number. The sign is zero
/// for a singular matrix. For a complex matrix it is a complex number of magnitude 1.
template <MatrixElement T>
struct LogDeterminant {
  T sign;
  double log_magnitude;
};

/// Through ScaLAPACK's p?getrf. @collective @throws UsageError on every rank if `a` is not square
template <ScalarMatrix A>
LogDeterminant<value_t<A>> log_determinant(const A& a, const Blocking& blocking = {}) {
  LogDeterminant<value_t<A>> result{};
  detail::log_determinant(slice_of(a).core(), &result.sign, result.log_magnitude, blocking);
  return result;
}

/// An estimate, seldom below a third of it, of the condition of a matrix in the 1-norm. The condition is about
/// how many times larger the relative error of solve()'s result is than that of its right-hand side. It is
/// infinite for a singular matrix. Through ScaLAPACK's p?getrf and Higham's estimator (ACM TOMS 14 (1988) 381).
/// @collective
/// @throws UsageError on every rank if `a` is not square
template <ScalarMatrix A>
double condition(const A& a, const Blocking& blocking = {}) {
  return detail::condition(slice_of(a).core(), blocking);
}

}  // namespace tessera::linalg
