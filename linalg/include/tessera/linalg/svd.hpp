// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <vector>

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// a = u diag(s) vh. `s` holds the singular values in descending order, on every rank. The columns of u are the
/// left singular vectors, and the rows of vh the right ones. There are as many of each as there are values.
template <MatrixElement T>
struct SVD {
  Array<T, 2> u;
  std::vector<detail::Real<T>> s;
  Array<T, 2> vh;
};

namespace detail {
/// `u` and `vh` are both null or both not null.
template <class T>
std::vector<Real<T>> svd(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore* u,
                         const tessera::detail::SliceCore* vh, const Blocking& blocking);
}  // namespace detail

/// The singular value decomposition of a matrix, which is unchanged: `auto [u, s, vh] = svd(a);` Through
/// ScaLAPACK's p?gesvd (bidiagonal form and QR iteration). If one extent is more than 1.6 times the other,
/// p?gesvd works on the triangular factor of `a` or its adjoint. The columns of u have the phases that eigh()
/// gives vectors.
/// @collective
/// @throws LinalgError on every rank if `a` holds NaN or infinity, the iteration does not converge, or singular
/// values are out of the range of the type
template <ScalarMatrix A>
SVD<value_t<A>> svd(const A& a, const Blocking& blocking = {}) {
  const index_t m = a.dims()[0], n = a.dims()[1], count = std::min(m, n);
  SVD<value_t<A>> result{{a.group(), {m, count}, {.name = "u"}}, {}, {a.group(), {count, n}, {.name = "vh"}}};
  const tessera::detail::SliceCore u = slice_of(result.u).core(), vh = slice_of(result.vh).core();
  result.s = detail::svd<value_t<A>>(slice_of(a).core(), &u, &vh, blocking);
  return result;
}

/// The singular values alone. @collective @throws as svd
template <ScalarMatrix A>
std::vector<detail::Real<value_t<A>>> svdvals(const A& a, const Blocking& blocking = {}) {
  return detail::svd<value_t<A>>(slice_of(a).core(), nullptr, nullptr, blocking);
}

}  // namespace tessera::linalg
