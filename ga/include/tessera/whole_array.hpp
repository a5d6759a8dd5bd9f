// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/array.hpp>
#include <tessera/detail/whole_array_core.hpp>

// Operations on whole arrays. All are collective over the arrays' group (the same for all operands); each
// begins by making every earlier operation on its operands visible and ends with its results visible to all.
// Operands may have different layouts. UsageError, on every rank, if groups, element types or extents do not
// fit.
namespace tessera {

/// Sets every element. @collective
template <Element T, std::size_t N>
void fill(Array<T, N>& a, const std::type_identity_t<T>& value) {
  detail::fill(a.core(), &value);
}

/// a = alpha * a. @collective
template <Arithmetic T, std::size_t N>
void scale(Array<T, N>& a, std::type_identity_t<T> alpha) {
  detail::scale(a.core(), &alpha);
}

/// y = alpha * x + beta * y; for beta == 0 the old y does not count at all. @collective
template <Arithmetic T, std::size_t N>
void axpby(std::type_identity_t<T> alpha, const Array<T, N>& x, std::type_identity_t<T> beta, Array<T, N>& y) {
  detail::axpby(&alpha, x.core(), &beta, y.core());
}

/// Copies all elements between arrays of equal extents, from any layout to any other. @collective
template <Element T, std::size_t N>
void copy(const Array<T, N>& from, Array<T, N>& to) {
  detail::copy(from.core(), to.core());
}

/// to(j, i) = from(i, j). @collective @throws UsageError if `from` is `to`.
template <Element T>
void transpose(const Array<T, 2>& from, Array<T, 2>& to) {
  detail::transpose(from.core(), to.core());
}

/// The sum of conj(x) * y over all elements. @collective
template <Arithmetic T, std::size_t N>
T dot(const Array<T, N>& x, const Array<T, N>& y) {
  T result{};
  detail::dot(x.core(), y.core(), &result);
  return result;
}

/// The sum of the magnitudes of all elements. @collective
template <Arithmetic T, std::size_t N>
double norm1(const Array<T, N>& a) {
  return detail::norm(a.core(), detail::Norm::one);
}

/// The square root of the sum of the squared magnitudes of all elements (for matrices, the Frobenius norm).
/// @collective
template <Arithmetic T, std::size_t N>
double norm2(const Array<T, N>& a) {
  return detail::norm(a.core(), detail::Norm::two);
}

/// The largest magnitude of any element; NaN if there is one. @collective
template <Arithmetic T, std::size_t N>
double norm_inf(const Array<T, N>& a) {
  return detail::norm(a.core(), detail::Norm::infinity);
}

/// All elements combined; of no elements, the operation's neutral value. @collective
/// @throws UsageError for an operation that the element type does not have.
template <Arithmetic T, std::size_t N>
T reduce(const Array<T, N>& a, Reduce operation) {
  T result{};
  detail::reduce(a.core(), operation, &result);
  return result;
}

}  // namespace tessera
