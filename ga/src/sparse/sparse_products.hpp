// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>

#include <tessera/array.hpp>
#include <tessera/detail/border_exchange.hpp>
#include <tessera/detail/sparse_pattern.hpp>

// Products with a sparse matrix, of which this rank has the rows of a pattern with their values. The operands
// fit, and the operation has begun.
namespace tessera::detail {

/// A sparse matrix as products see it.
template <class T>
struct SparseRows {
  const SparsePattern& pattern;
  std::span<const T> values;
  BorderExchange& border;
};

/// y = alpha A x + beta y. @collective
template <class T>
void multiply(const SparseRows<T>& a, T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y);
/// C = A B. @collective
template <class T>
void multiply(const SparseRows<T>& a, const Array<T, 2>& b, Array<T, 2>& c);
/// The same as the first with the transpose of A, whose elements may be conjugated. @collective
enum class Conjugated : bool { no, yes };
template <class T>
void multiply_transposed(const SparseRows<T>& a, Conjugated conjugated, T alpha, const Array<T, 1>& x, T beta,
                         Array<T, 1>& y);

}  // namespace tessera::detail
