// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include <tessera/runtime/types.hpp>

// Every routine of BLAS that Tessera calls, in one place, for matrices by rows or by columns. For a sum of few
// products gemm() uses kernels of our own (rank_update.hpp).
namespace tessera::linalg::blas {

/// So many bytes behind an operand can be read, because OpenBLAS reads up to 32 bytes beyond the vectors of
/// some routines. backend_report() names these routines, and tests/linalg/test_blas_reads.cpp checks them.
/// Behind arrays there is a page.
inline constexpr std::size_t room_behind = 64;

/// A vector of `size` zeros, with that room behind it.
template <class T>
std::vector<T> vector_of(index_t size) {
  std::vector<T> vector;
  vector.reserve(static_cast<std::size_t>(size) + room_behind / sizeof(T));
  vector.resize(static_cast<std::size_t>(size));
  return vector;
}

/// Elements at data + i * row_stride + j * column_stride.
template <class T>
struct Panel {
  T* data;
  index_t row_stride, column_stride;

  Panel transposed() const noexcept { return {data, column_stride, row_stride}; }
  T& at(index_t row, index_t column) const noexcept { return data[row * row_stride + column * column_stride]; }
  /// The panel that begins at an element. @local
  Panel from(index_t row, index_t column) const noexcept {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

enum class Order { by_columns, by_rows, neither };
/// The order of a panel, if BLAS can take it. By columns if it is in both orders, as a dense row or column is.
/// @local
Order order_of(index_t row_stride, index_t column_stride, index_t rows, index_t columns) noexcept;
/// The order in which the transposed matrix lies, which is not `neither`. @local
inline Order turned(Order order) noexcept {
  return order == Order::by_columns ? Order::by_rows : Order::by_columns;
}

/// Whether gemm() can read an operand for a result of this order: BLAS conjugates only where it transposes,
/// too.
/// @local
bool can_read(Order operand, bool conjugated, Order result) noexcept;

/// factor * value, as BLAS treats beta: zero clears NaN, and one leaves infinite complex numbers as they are.
/// @local
template <class T>
T scaled(T factor, T value) {
  if (factor == T{0}) return T{0};
  return factor == T{1} ? value : factor * value;
}

/// c = alpha * a * b + beta * c, with a or b conjugated on request; c is by_columns or by_rows. @local
template <class T>
void gemm(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, bool conjugate_a,
          const Panel<const T>& b, bool conjugate_b, T beta, const Panel<T>& c);

/// y = y + alpha * a * x, with a conjugated on request. a may have any strides; there is room behind a, x and
/// y. @local
template <class T>
void gemv(index_t m, index_t n, T alpha, const Panel<const T>& a, bool conjugated, const T* x, T* y);

}  // namespace tessera::linalg::blas
