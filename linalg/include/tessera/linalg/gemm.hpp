// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
void gemm(const void* alpha, const tessera::detail::ArrayCore& a, Op op_a, const tessera::detail::ArrayCore& b,
          Op op_b, const void* beta, tessera::detail::ArrayCore& c);
}

/// c = alpha * a * b + beta * c, where a and b may be arrays or transpose() or adjoint() of them; for beta == 0
/// the old c does not count. Arrays of any layout of one group; those that are not block-cyclic as c is are
/// redistributed first, each once (a copy of their memory). Through ScaLAPACK's p?gemm. @collective
/// @throws UsageError on every rank if the shapes do not fit, or c is an operand; if an extent exceeds 2^31
/// - 1.
template <Scalar T>
void gemm(std::type_identity_t<T> alpha, const std::type_identity_t<Operand<T>>& a,
          const std::type_identity_t<Operand<T>>& b, std::type_identity_t<T> beta, Array<T, 2>& c) {
  detail::gemm(&alpha, a.array().core(), a.op(), b.array().core(), b.op(), &beta, c.core());
}

}  // namespace tessera::linalg
