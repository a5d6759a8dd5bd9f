// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
void solve_spd(const tessera::detail::ArrayCore& a, tessera::detail::ArrayCore& b);
}

/// Solves a x = b for a symmetric or Hermitian positive definite matrix by Cholesky factorisation; b becomes x,
/// `a` (of which only the lower triangle is read) is unchanged. Through ScaLAPACK's p?potrf and p?potrs.
/// @collective
/// @throws UsageError if the shapes do not fit; LinalgError if `a` is not positive definite, then b is
/// unchanged. On every rank.
template <Scalar T>
void solve_spd(const Array<T, 2>& a, Array<T, 2>& b) {
  detail::solve_spd(a.core(), b.core());
}

}  // namespace tessera::linalg
