// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

// Systems of linear equations. Matrices are arrays or slices of any layout. A matrix that ScaLAPACK cannot use
// in place is redistributed once. All routines throw LinalgError if an operand holds NaN or infinity, or the
// solution is out of the range of its type; b is unchanged then.
namespace tessera::linalg {

/// Whether the diagonal of a triangle is assumed to be all ones.
enum class UnitDiagonal : bool { no, yes };

namespace detail {
using tessera::detail::SliceCore;
void solve(const SliceCore& a, const SliceCore& b, const Blocking& blocking);
void solve_spd(const SliceCore& a, const SliceCore& b, const Blocking& blocking);
void solve_triangular(Triangle triangle, Op op, UnitDiagonal unit, const SliceCore& a, const SliceCore& b,
                      const Blocking& blocking);
void least_squares(const SliceCore& a, const SliceCore& b, const SliceCore& x, const Blocking& blocking);
}  // namespace detail

/// Solves a x = b by Gaussian elimination with row exchanges; b becomes x, `a` is unchanged. Through
/// ScaLAPACK's p?getrf and p?getrs. @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` is singular, then b is unchanged. On every
/// rank.
template <ScalarMatrix A, ResultLike<A> B>
void solve(const A& a, B&& b, const Blocking& blocking = {}) {
  detail::solve(slice_of(a).core(), slice_of(b).core(), blocking);
}

/// Solves a x = b by Cholesky factorisation, for a symmetric or Hermitian positive definite `a`. b becomes x,
/// and `a` is unchanged. Only the lower triangle of `a` is read. Through ScaLAPACK's p?potrf and p?potrs.
/// @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` is not positive definite, then b is
/// unchanged. On every rank.
template <ScalarMatrix A, ResultLike<A> B>
void solve_spd(const A& a, B&& b, const Blocking& blocking = {}) {
  detail::solve_spd(slice_of(a).core(), slice_of(b).core(), blocking);
}

/// Solves a x = b for one triangle of a matrix; b becomes x, `a` is unchanged. `a` may be transpose() or
/// adjoint() of a matrix; `triangle` then still names the triangle of the matrix itself. Through ScaLAPACK's
/// p?trtrs. @collective
/// @throws UsageError if the shapes do not fit; LinalgError if an element of the diagonal is zero, then b is
/// unchanged. On every rank.
template <Result B>
void solve_triangular(Triangle triangle, const Operand<value_t<B>>& a, B&& b,
                      UnitDiagonal unit = UnitDiagonal::no, const Blocking& blocking = {}) {
  detail::solve_triangular(triangle, a.op(), unit, a.core(), slice_of(b).core(), blocking);
}

/// The x for which |b - a x| is least, for each column of b. If `a` has fewer rows than columns, it is the
/// shortest such x. `a` must have full rank. Through ScaLAPACK's p?gels (QR or LQ). @collective
/// @throws UsageError if the shapes do not fit; LinalgError if the rows or columns of `a` are dependent up to
/// rounding, x would overflow, or a or b holds NaN or infinity. On every rank. Dependent means: an element of
/// the factor's diagonal is below max(m, n) epsilons of the largest in its column (of R) or row (of L).
template <ScalarMatrix A, MatrixLike<A> B>
Array<value_t<A>, 2> least_squares(const A& a, const B& b, const Blocking& blocking = {}) {
  Array<value_t<A>, 2> x(a.group(), {a.dims()[1], b.dims()[1]}, {.name = "least squares"});
  detail::least_squares(slice_of(a).core(), slice_of(b).core(), slice_of(x).core(), blocking);
  return x;
}

}  // namespace tessera::linalg
