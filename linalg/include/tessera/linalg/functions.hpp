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
// triangle is read, and the matrix is unchanged. Results are new arrays: with the layout of `a` if it is an
// array, blocked if it is a slice.
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

/// f(a) for any function f of real numbers. Every rank calls f with the same eigenvalues, in ascending order.
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
/// @throws as matrix_function; LinalgError if an eigenvalue has no such power. A negative exponent has none for
/// zero, nor for a value so small that it is rounding error of the largest. A fractional exponent has none for
/// a negative value.
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

/// Canonical orthogonalisation: x = v w^(-1/2), so that x^H s x = 1. It uses the eigenvectors v of the overlap
/// matrix s whose eigenvalues w exceed two bounds: the threshold, and the rounding error of zero. The latter is
/// 4 epsilons of the elements times the Frobenius norm of s. x has fewer columns than rows where s is nearly
/// singular.
/// @collective @throws UsageError if `s` is not square or the threshold negative; LinalgError if it holds NaN.
/// On every rank.
template <ScalarMatrix A>
Array<value_t<A>, 2> canonical_orthogonaliser(const A& s, double threshold = 1e-8,
                                              const Blocking& blocking = {}) {
  return detail::canonical_orthogonaliser<value_t<A>>(slice_of(s).core(), threshold, blocking);
}

}  // namespace tessera::linalg
