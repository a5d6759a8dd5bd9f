// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/array.hpp>

namespace tessera {

/// An element of a sparse matrix.
template <class T>
struct Triplet {
  index_t row, column;
  T value;
};

/// A distributed sparse matrix in compressed rows: each rank has an even share of consecutive rows. Once it is
/// made, only its values can change. T is one of the six arithmetic types. Move-only.
template <Arithmetic T>
class SparseMatrix {
 public:
  /// Makes a matrix from triplets. Any rank may give triplets of any rows. Triplets of equal row and column are
  /// added up. Each rank needs memory for twice its own triplets, and for the triplets of its rows. @collective
  /// @throws UsageError on every rank if a size is negative or a triplet is outside; MemoryError as Array
  SparseMatrix(const Group& group, index_t rows, index_t columns, std::span<const Triplet<T>> triplets,
               std::string_view name = "sparse");
  /// Frees the memory now. @collective
  void close();

  const Group& group() const noexcept { return values_.group(); }
  const std::string& name() const noexcept { return values_.name(); }
  index_t rows() const noexcept { return rows_; }
  index_t columns() const noexcept { return columns_; }
  /// The number of stored elements on all ranks. @local
  index_t nonzeros() const noexcept { return values_.size(); }
  /// The rows of this rank: [first_row(), last_row()). @local
  index_t first_row() const noexcept { return first_; }
  index_t last_row() const noexcept { return last_; }

  /// This rank's compressed rows: elements [row_begins()[i], row_begins()[i + 1]) are of row first_row() + i,
  /// in increasing order of their columns. @local
  std::span<const index_t> row_begins() const noexcept { return begins_; }
  /// @throws UsageError after close()
  std::span<const index_t> local_columns() const;
  /// The values of these elements, which may be changed. Others see a change after a synchronisation. @local
  /// @throws likewise
  std::span<T> local_values();
  std::span<const T> local_values() const;

  /// The elements of any row. @onesided @throws UsageError if there is no such row
  std::vector<Triplet<T>> row(index_t i) const;

  /// y = A x. Each element of x that a rank's rows need is fetched once; elements of one owner are fetched
  /// together. @collective @throws UsageError if the lengths do not fit, or groups differ
  void multiply(const Array<T, 1>& x, Array<T, 1>& y) const;
  /// C = A B for dense B and C. @collective @throws likewise
  void multiply(const Array<T, 2>& b, Array<T, 2>& c) const;
  /// v(i) = A(i, i), 0 where there is none. @collective @throws UsageError unless v is as long as the diagonal
  void get_diagonal(Array<T, 1>& v) const;

 private:
  struct Assembled;
  SparseMatrix(Assembled&& assembled, const Group& group, index_t rows, index_t columns, std::string_view name);
  void compress_columns();
  void require_group(const Group& other, std::string_view operation) const;

  index_t rows_, columns_, first_, last_;
  std::vector<index_t> begins_;   // where this rank's rows begin in its elements
  Array<index_t, 1> all_begins_;  // where all rows begin in all elements
  Array<index_t, 1> column_numbers_;
  Array<T, 1> values_;
  std::vector<index_t> needed_;       // the columns that occur in this rank's rows, each once
  std::vector<std::int32_t> places_;  // for each element, where its column is in needed_
};

extern template class SparseMatrix<std::int32_t>;
extern template class SparseMatrix<std::int64_t>;
extern template class SparseMatrix<float>;
extern template class SparseMatrix<double>;
extern template class SparseMatrix<std::complex<float>>;
extern template class SparseMatrix<std::complex<double>>;

}  // namespace tessera
