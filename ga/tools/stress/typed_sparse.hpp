// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <stdexcept>

#include <tessera/sparse.hpp>

#include "typed_array.hpp"
#include "typed_vectors.hpp"

namespace tessera::stress {

/// Appends the columns and values of a row.
template <class T>
void append(Values& found, const std::vector<Triplet<T>>& row) {
  for (const Triplet<T>& one : row) {
    found.push_back(static_cast<double>(one.column));
    found.push_back(number(one.value));
  }
}

/// Whether this rank's own rows of a matrix equal what row() returns. @onesided
template <class T>
bool are_own_rows(const SparseMatrix<T>& a) {
  const auto begins = a.row_begins();
  for (index_t i = a.first_row(); i < a.last_row(); ++i) {
    auto k = static_cast<std::size_t>(begins[static_cast<std::size_t>(i - a.first_row())]);
    for (const Triplet<T>& one : a.row(i)) {
      if (one.row != i || a.local_columns()[k] != one.column || a.local_values()[k] != one.value) return false;
      ++k;
    }
    if (static_cast<index_t>(k) != begins[static_cast<std::size_t>(i - a.first_row()) + 1]) return false;
  }
  return true;
}

/// y = 2 A x for the sparse matrix of a line: its values are doubled in place after a first product. Returns
/// the number of its elements, some rows, its diagonal, and one of the rows again after doubling. @collective
template <class T, std::size_t N>
Values multiply_sparse(const Line& line, const std::vector<Operand>& operands) {
  if constexpr (N <= 2) {
    auto* x = dynamic_cast<TypedArray<T, N>*>(operands.at(0).array);
    auto* y = dynamic_cast<TypedArray<T, N>*>(operands.at(1).array);
    if (x == nullptr || y == nullptr) throw std::invalid_argument("operands of another type");
    const Group& group = x->array().group();
    const index_t rows = y->array().dims()[0], columns = x->array().dims()[0];
    std::vector<Triplet<T>> mine;
    for (const SparseElement& one :
         sparse_elements(line, group.rank(), rows, columns, !std::is_arithmetic_v<T>))
      mine.push_back({one.row, one.column, element<T>(one.value)});
    SparseMatrix<T> a(group, rows, columns, mine);
    if (x != y) a.multiply(x->array(), y->array());  // else the second product needs what was in x
    Values found{static_cast<double>(a.nonzeros())};
    for (const index_t i : sparse_rows(line, rows)) append(found, a.row(i));
    auto diagonal = scratch_vector<T>(group, line.number("seed"),
                                      Values(static_cast<std::size_t>(std::min(rows, columns)), 7));
    a.get_diagonal(diagonal);
    for (const Number& value : values_of(diagonal)) found.push_back(value);
    diagonal.close();
    if (!are_own_rows(a)) throw std::logic_error("what a rank has of a sparse matrix is not what row() says");
    group.sync();  // no rank reads any more
    for (T& value : a.local_values()) value += value;
    group.sync();
    a.multiply(x->array(), y->array());
    if (const auto seen = sparse_rows(line, rows); !seen.empty()) append(found, a.row(seen.front()));
    a.close();
    return found;
  }
  throw std::invalid_argument("sparse matrices multiply one or two dimensions");
}

}  // namespace tessera::stress
