// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

// Products with symmetric and Hermitian matrices, with the names that BLAS gives them.
namespace tessera::linalg {

/// On which side of a product a matrix stands.
enum class Side : std::uint8_t { left, right };

namespace detail {
enum class Symmetry : std::uint8_t { symmetric, hermitian };
void rank_k(Symmetry symmetry, const void* alpha, const tessera::detail::FusedCore& a, Op op, const void* beta,
            const tessera::detail::SliceCore& c);
void symmetric_product(Symmetry symmetry, Side side, Triangle triangle, const void* alpha,
                       const tessera::detail::SliceCore& a, const tessera::detail::SliceCore& b,
                       const void* beta, const tessera::detail::SliceCore& c);
}  // namespace detail

/// c = alpha * a * transpose of a + beta * c, for about half the work of gemm(). Of each two elements of c that
/// mirror each other, one is computed and the other copied. So both triangles are right, and c is symmetric to
/// the last bit. `a` may be transpose() of a matrix, or a fused slice. If beta != 0, c must be symmetric.
/// Arrays and slices of any layout. @collective
/// @throws UsageError on every rank if the shapes do not fit, or c overlaps a
template <Result C>
void syrk(value_t<C> alpha, const MatrixFactor<value_t<C>>& a, value_t<C> beta, C&& c) {
  detail::rank_k(detail::Symmetry::symmetric, &alpha, a.core(), a.op(), &beta, slice_of(c).core());
}

/// c = alpha * a * adjoint of a + beta * c; c is Hermitian to the last bit. Otherwise as syrk(). @collective
template <Result C>
void herk(detail::Real<value_t<C>> alpha, const MatrixFactor<value_t<C>>& a, detail::Real<value_t<C>> beta,
          C&& c) {
  const value_t<C> factor(alpha), old(beta);
  detail::rank_k(detail::Symmetry::hermitian, &factor, a.core(), a.op(), &old, slice_of(c).core());
}

/// c = alpha * a * b + beta * c, or b * a for Side::right. `a` is symmetric, and only one triangle of it is
/// read. A copy of `a` is completed from this triangle, and multiplied as by gemm(). If both triangles of `a`
/// are filled, gemm() does the same without the copy. @collective
/// @throws UsageError on every rank if a is not square, the shapes do not fit, or c overlaps a or b
template <Result C, MatrixLike<C> A, MatrixLike<C> B>
void symm(Side side, Triangle triangle, value_t<C> alpha, const A& a, const B& b, value_t<C> beta, C&& c) {
  detail::symmetric_product(detail::Symmetry::symmetric, side, triangle, &alpha, slice_of(a).core(),
                            slice_of(b).core(), &beta, slice_of(c).core());
}

/// The same for a Hermitian `a`. The imaginary part of its diagonal is assumed to be zero. @collective
template <Result C, MatrixLike<C> A, MatrixLike<C> B>
void hemm(Side side, Triangle triangle, value_t<C> alpha, const A& a, const B& b, value_t<C> beta, C&& c) {
  detail::symmetric_product(detail::Symmetry::hermitian, side, triangle, &alpha, slice_of(a).core(),
                            slice_of(b).core(), &beta, slice_of(c).core());
}

}  // namespace tessera::linalg
