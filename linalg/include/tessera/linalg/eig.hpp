// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <vector>

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
template <class T>
using Complex = std::complex<Real<T>>;
/// `vectors` is complex, and may be null.
template <class T>
std::vector<Complex<T>> eig(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore* vectors,
                            const Blocking& blocking);
}  // namespace detail

/// Eigenvalues of a general matrix, in no particular order, on every rank. The right eigenvectors are columns
/// of length 1.
template <MatrixElement T>
struct GeneralEigenpairs {
  std::vector<detail::Complex<T>> values;
  Array<detail::Complex<T>, 2> vectors;
};

/// Eigenvalues and right eigenvectors of a general matrix, which is unchanged. Both are complex even for a real
/// matrix; they then come in conjugate pairs, up to rounding errors. Rows and columns are balanced first, by
/// powers of two. Computed through the Schur form of a
/// complex copy (ScaLAPACK's p?gehrd, p?unmhr, p?lahqr, p?trevc). This has no blocked QR iteration, so it is
/// many times slower than eigh(). If a matrix has too few eigenvectors, two of those returned are nearly the
/// same. The phases are chosen as in eigh(). @collective
/// @throws UsageError if `a` is not square; LinalgError if it holds NaN or infinity, the iteration does not
/// converge, or eigenvalues are out of the range of the type. On every rank.
template <ScalarMatrix A>
GeneralEigenpairs<value_t<A>> eig(const A& a, const Blocking& blocking = {}) {
  GeneralEigenpairs<value_t<A>> result{{}, {a.group(), a.dims(), {.name = "eigenvectors"}}};
  const tessera::detail::SliceCore vectors = slice_of(result.vectors).core();
  result.values = detail::eig<value_t<A>>(slice_of(a).core(), &vectors, blocking);
  return result;
}

/// The eigenvalues alone, of the balanced matrix too. For a real matrix they come from p?hseqr, with multishift
/// QR iterations. @collective
/// @throws as eig
template <ScalarMatrix A>
std::vector<detail::Complex<value_t<A>>> eigvals(const A& a, const Blocking& blocking = {}) {
  return detail::eig<value_t<A>>(slice_of(a).core(), nullptr, blocking);
}

}  // namespace tessera::linalg
