// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
void eigh(const tessera::detail::SliceCore& a, void* values, const tessera::detail::SliceCore& vectors);

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
}  // namespace detail

/// Eigenvalues in ascending order, on every rank, and the orthonormal eigenvectors as columns.
template <Scalar T>
struct Eigen {
  std::vector<typename detail::RealOf<T>::type> values;
  Array<T, 2> vectors;
};

/// All eigenvalues and eigenvectors of a symmetric or Hermitian matrix, of which only the lower triangle is
/// read; `a` is unchanged, the vectors have its layout (of a slice: a blocked one). `auto [w, v] = eigh(a);`
/// Through ScaLAPACK's p?syevd, p?heevd (divide and conquer), on a block-cyclic copy. @collective
/// @throws UsageError if `a` is not square; LinalgError if the iteration does not converge. On every rank.
template <Matrix A>
Eigen<value_t<A>> eigh(const A& a) {
  Eigen<value_t<A>> result{{}, detail::array_like(a, "eigenvectors")};
  result.values.resize(static_cast<std::size_t>(a.dims()[0]));
  detail::eigh(slice_of(a).core(), result.values.data(), slice_of(result.vectors).core());
  return result;
}

}  // namespace tessera::linalg
