// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
void gemv(const void* alpha, const tessera::detail::SliceCore& a, Op op, const tessera::detail::SliceCore& x,
          const void* beta, const tessera::detail::SliceCore& y);
}  // namespace detail

/// y = alpha * a * x + beta * y, where a may be transpose() or adjoint() of a matrix. x and y are arrays or
/// slices of one dimension, such as rows and columns of matrices. Each process multiplies the part of a that it
/// stores, in place, and adds the result to y. Sums over several processes are added in any order. If beta ==
/// 0, the old y is never read, so NaN in it does not propagate. @collective
/// @throws UsageError on every rank if the shapes do not fit, or y overlaps a or x
template <WritableOperand Y, VectorOf<value_t<Y>> X>
requires VectorOf<Y, value_t<X>>
void gemv(value_t<Y> alpha, const Operand<value_t<Y>>& a, const X& x, value_t<Y> beta, Y&& y) {
  detail::gemv(&alpha, a.core(), a.op(), slice_of(x).core(), &beta, slice_of(y).core());
}

}  // namespace tessera::linalg
