// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

// Systems of linear equations. Matrices are arrays or slices of any layout; those that do not lie as ScaLAPACK
// wants them are redistributed, each once.
namespace tessera::linalg {

/// Which triangle of a matrix counts.
enum class Side : std::uint8_t { lower, upper };
/// Whether the diagonal of a triangle is taken for ones.
enum class UnitDiagonal : bool { no, yes };

namespace detail {
void solve(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore& b);
void solve_spd(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore& b);
void solve_triangular(Side side, Op op, UnitDiagonal unit, const tessera::detail::SliceCore& a,
                      const tessera::detail::SliceCore& b);
void least_squares(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore& b,
                   const tessera::detail::SliceCore& x);
}  // namespace detail

/// Solves a x = b by Gaussian elimination with row exchanges; b becomes x, `a` is unchanged. Through
/// ScaLAPACK's p?getrf and p?getrs. @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` is singular, then b is unchanged. On every
/// rank.
template <Matrix A, Result B>
requires Like<A, B>
void solve(const A& a, B&& b) { detail::solve(slice_of(a).core(), slice_of(b).core()); }

/// Solves a x = b for a symmetric or Hermitian positive definite matrix by Cholesky factorisation; b becomes x,
/// `a` (of which only the lower triangle is read) is unchanged. Through ScaLAPACK's p?potrf and p?potrs.
/// @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` is not positive definite, then b is
/// unchanged. On every rank.
template <Matrix A, Result B>
requires Like<A, B>
void solve_spd(const A& a, B&& b) { detail::solve_spd(slice_of(a).core(), slice_of(b).core()); }

/// Solves a x = b for one triangle of a matrix, or its transpose or adjoint where `a` is transpose() or
/// adjoint() of one (`side` is that of the matrix itself); b becomes x, `a` is unchanged. Through ScaLAPACK's
/// p?trtrs. @collective
/// @throws UsageError if the shapes do not fit; LinalgError if an element of the diagonal is zero, then b is
/// unchanged. On every rank.
template <Result B>
void solve_triangular(Side side, const Operand<value_t<B>>& a, B&& b, UnitDiagonal unit = UnitDiagonal::no) {
  detail::solve_triangular(side, a.op(), unit, a.core(), slice_of(b).core());
}

/// The x for which |b - a x| is least, for each column of b; if `a` has fewer rows than columns, of all such x
/// the shortest. `a` must have full rank. Through ScaLAPACK's p?gels (QR or LQ). @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` has exactly dependent rows or columns, or
/// holds NaN. On every rank.
template <ScalarMatrix A, MatrixLike<A> B>
Array<value_t<A>, 2> least_squares(const A& a, const B& b) {
  Array<value_t<A>, 2> x(a.group(), {a.dims()[1], b.dims()[1]}, {.name = "least squares"});
  detail::least_squares(slice_of(a).core(), slice_of(b).core(), slice_of(x).core());
  return x;
}

}  // namespace tessera::linalg
