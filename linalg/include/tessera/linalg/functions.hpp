// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <functional>
#include <string_view>

#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

// Functions of symmetric and Hermitian matrices, by their eigenvalues: f(a) = v f(w) v^H. Only the lower
// triangle is read, and the matrix is unchanged. Results are new arrays of the layout of an array, blocked for
// a slice.
namespace tessera::linalg {

namespace detail {
void function(std::string_view routine, const tessera::detail::SliceCore& a,
              const std::function<double(double)>& f, const tessera::detail::SliceCore& result,
              const Blocking& blocking);
void power(const tessera::detail::SliceCore& a, double exponent, const tessera::detail::SliceCore& result,
           const Blocking& blocking);
template <class T>
Array<T, 2> canonical_orthogonaliser(const tessera::detail::SliceCore& s, double threshold,
                                     const Blocking& blocking);
}  // namespace detail

/// f(a) for any function of real numbers, called with each eigenvalue in ascending order, the same on every
/// rank.
/// @collective
/// @throws UsageError if `a` is not square; LinalgError if it holds NaN, or f of an eigenvalue is not finite.
/// On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> matrix_function(const A& a, const std::function<double(double)>& f,
                                     const Blocking& blocking = {}) {
  auto result = detail::array_like(a, "function");
  detail::function("matrix_function", slice_of(a).core(), f, slice_of(result).core(), blocking);
  return result;
}

/// a to a power, such as 0.5, or -0.5 for the inverse of the square root. @collective
/// @throws as matrix_function; LinalgError if there is an eigenvalue that has no such power: zero (or so small
/// that it is rounding error of the largest) for a negative exponent, or a negative one for a fraction
template <ScalarMatrix A>
Array<value_t<A>, 2> power(const A& a, double exponent, const Blocking& blocking = {}) {
  auto result = detail::array_like(a, "power");
  detail::power(slice_of(a).core(), exponent, slice_of(result).core(), blocking);
  return result;
}

/// The exponential of a symmetric or Hermitian matrix. @collective @throws as matrix_function
template <ScalarMatrix A>
Array<value_t<A>, 2> exponential(const A& a, const Blocking& blocking = {}) {
  auto result = detail::array_like(a, "exponential");
  detail::function(
      "exponential", slice_of(a).core(), [](double w) { return std::exp(w); }, slice_of(result).core(),
      blocking);
  return result;
}

/// x = s^(-1/2) for a positive definite overlap matrix s: symmetric (Lowdin) orthogonalisation, x^H s x = 1.
/// @collective @throws as power
template <ScalarMatrix A>
Array<value_t<A>, 2> symmetric_orthogonaliser(const A& s, const Blocking& blocking = {}) {
  return power(s, -0.5, blocking);
}

/// x = v w^(-1/2) for those eigenvectors v of an overlap matrix s whose eigenvalues w are above a threshold,
/// and above what rounding makes of zero (4 epsilons of the elements times the Frobenius norm of s): canonical
/// orthogonalisation, x^H s x = 1, with fewer columns than rows where s is nearly singular.
/// @collective @throws UsageError if `s` is not square or the threshold negative; LinalgError if it holds NaN.
/// On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> canonical_orthogonaliser(const A& s, double threshold = 1e-8,
                                              const Blocking& blocking = {}) {
  return detail::canonical_orthogonaliser<value_t<A>>(slice_of(s).core(), threshold, blocking);
}

}  // namespace tessera::linalg
