// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/operations.hpp>
#include <tessera/slice.hpp>

// Operations on rows, columns and diagonals of matrices: arrays or slices of two dimensions. They are
// collective like the operations of elementwise.hpp, and have the same conditions. Vectors have one dimension.
// Matrix products and solvers are in <tessera/linalg/linalg.hpp>.
namespace tessera {

template <class A>
concept MatrixOperand = Operand<A> && detail::has_rank<A, 2>;
template <class V, class A>
concept VectorFor = Operand<V> && detail::has_rank<V, 1> && std::is_same_v<value_t<V>, value_t<A>>;

/// to(j, i) = from(i, j); the two may be the same square matrix. @collective
template <MatrixOperand A, WritableOperand B>
requires MatrixOperand<B> && Like<A, B>
void transpose(const A& from, B&& to) { detail::transpose(slice_of(from).core(), slice_of(to).core()); }

/// Multiplies row i by factors(i). @collective @throws UsageError unless there is one factor for each row
template <WritableOperand A, Operand V>
requires MatrixOperand<A> && ArithmeticOperand<A> && VectorFor<V, A>
void scale_rows(A&& a, const V& factors) {
  detail::scale_lines(slice_of(a).core(), 0, slice_of(factors).core());
}
/// Multiplies column j by factors(j). @collective @throws UsageError unless there is one factor for each column
template <WritableOperand A, Operand V>
requires MatrixOperand<A> && ArithmeticOperand<A> && VectorFor<V, A>
void scale_columns(A&& a, const V& factors) {
  detail::scale_lines(slice_of(a).core(), 1, slice_of(factors).core());
}

/// a = (a + transpose of a) / 2; integers are rounded down. @collective @throws UsageError unless square
template <WritableOperand A>
requires MatrixOperand<A> && ArithmeticOperand<A>
void symmetrise(A&& a) { detail::symmetrise(slice_of(a).core()); }

/// A norm of the matrix, which depends on its rows and columns. (norm1 and norm_inf take an array as one long
/// vector.) The squares of the Frobenius norm neither overflow nor underflow. NaN if any element is NaN, 0 if
/// there are no elements. Each rank needs memory for one number for each column or row. @collective
template <MatrixOperand A>
requires ArithmeticOperand<A>
double matrix_norm(const A& a, MatrixNorm which) { return detail::matrix_norm(slice_of(a).core(), which); }

/// v(i) = a(i, i). @collective @throws UsageError unless v is as long as the diagonal
template <MatrixOperand A, WritableOperand V>
requires ArithmeticOperand<A> && VectorFor<V, A>
void get_diagonal(const A& a, V&& v) { detail::get_diagonal(slice_of(a).core(), slice_of(v).core()); }
/// a(i, i) = v(i). @collective @throws as get_diagonal
template <WritableOperand A, Operand V>
requires MatrixOperand<A> && ArithmeticOperand<A> && VectorFor<V, A>
void set_diagonal(A&& a, const V& v) {
  const detail::SliceCore values = slice_of(v).core();
  detail::change_diagonal(slice_of(a).core(), detail::Diagonal::set, &values, nullptr);
}
/// a(i, i) = a(i, i) + v(i). @collective @throws as get_diagonal
template <WritableOperand A, Operand V>
requires MatrixOperand<A> && ArithmeticOperand<A> && VectorFor<V, A>
void add_diagonal(A&& a, const V& v) {
  const detail::SliceCore values = slice_of(v).core();
  detail::change_diagonal(slice_of(a).core(), detail::Diagonal::add, &values, nullptr);
}
/// a(i, i) = a(i, i) + value: a plus a multiple of the unit matrix. @collective
template <WritableOperand A>
requires MatrixOperand<A> && ArithmeticOperand<A>
void shift_diagonal(A&& a, std::type_identity_t<value_t<A>> value) {
  detail::change_diagonal(slice_of(a).core(), detail::Diagonal::add, nullptr, &value);
}
/// a(i, i) = value. @collective
template <WritableOperand A>
requires MatrixOperand<A> && ArithmeticOperand<A>
void fill_diagonal(A&& a, std::type_identity_t<value_t<A>> value) {
  detail::change_diagonal(slice_of(a).core(), detail::Diagonal::set, nullptr, &value);
}

}  // namespace tessera
