// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
void gemm(const void* alpha, const tessera::detail::SliceCore& a, Op op_a, const tessera::detail::SliceCore& b,
          Op op_b, const void* beta, const tessera::detail::SliceCore& c);
}

/// c = alpha * a * b + beta * c, where a and b may be transpose() or adjoint() of a matrix; for beta == 0 the
/// old c does not count, for alpha == 0 a and b do not. Arrays and slices of any layout of one group; a and b
/// may be the same.
///
/// Each process computes the part of c that it owns: from the blocks of a and b where they lie, if they are on
/// its node and of a layout that BLAS can read (any but tiles; conjugated ones only by rows or only by
/// columns); the rest is fetched, at most 64 MiB at a time, while what came before is multiplied. Where c is so
/// small against the sums that it would be cheaper, each process computes a part of all sums instead and adds
/// it to c. @collective
/// @throws UsageError on every rank if the shapes do not fit, or c overlaps a or b
template <Result C>
void gemm(value_t<C> alpha, const Operand<value_t<C>>& a, const Operand<value_t<C>>& b, value_t<C> beta,
          C&& c) {
  detail::gemm(&alpha, a.core(), a.op(), b.core(), b.op(), &beta, slice_of(c).core());
}

}  // namespace tessera::linalg
