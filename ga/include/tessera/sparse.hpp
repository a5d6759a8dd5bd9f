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
#include <tessera/detail/border_exchange.hpp>
#include <tessera/detail/sparse_pattern.hpp>

namespace tessera {

/// An element of a sparse matrix.
template <class T>
struct Triplet {
  index_t row, column;
  T value;
};

/// How the rows of a sparse matrix are shared out.
enum class Balance : std::uint8_t {
  rows,      ///< equally many rows to each rank
  nonzeros,  ///< rows with about equally many stored elements to each rank; each row counts as one more
};

/// Options of a new sparse matrix.
struct SparseOptions {
  /// The name that messages use.
  std::string_view name = "sparse";
  Balance balance = Balance::rows;
};

/// A distributed sparse matrix in compressed rows: each rank has a share of consecutive rows. Once it is made,
/// only its values can change. T is one of the six arithmetic types. Move-only.
template <Arithmetic T>
class SparseMatrix {
 public:
  /// Makes a matrix from triplets. Any rank may give triplets of any rows. Triplets of equal row and column are
  /// added up. Each rank needs memory for twice its own triplets, and for twice those of its rows (three times
  /// with Balance::nonzeros). Products keep two buffers of the elements of x that its rows need from anywhere
  /// if they need some from other ranks. @collective
  /// @throws UsageError on every rank if a size is negative or a triplet is outside; MemoryError as Array
  SparseMatrix(const Group& group, index_t rows, index_t columns, std::span<const Triplet<T>> triplets,
               const SparseOptions& options = {});
  /// Frees the memory now. @collective
  void close();

  const Group& group() const noexcept { return values_.group(); }
  const std::string& name() const noexcept { return values_.name(); }
  index_t rows() const noexcept { return rows_; }
  index_t columns() const noexcept { return columns_; }
  /// The number of stored elements on all ranks. @local
  index_t nonzeros() const noexcept { return values_.size(); }
  /// The rows of this rank: [first_row(), last_row()). @local
  index_t first_row() const noexcept { return pattern_.own_rows.begin; }
  index_t last_row() const noexcept { return pattern_.own_rows.end; }

  /// The layouts for which products are fastest: of y in y = A x, and of x. They are the same if the matrix is
  /// square. With Balance::rows, a square matrix of at least as many rows as ranks has the layout that an array
  /// has without one. @local
  const Layout<1>& row_layout() const noexcept { return pattern_.row_layout; }
  const Layout<1>& column_layout() const noexcept { return pattern_.column_layout; }

  /// This rank's compressed rows: elements [row_begins()[i], row_begins()[i + 1]) are of row first_row() + i,
  /// in increasing order of their columns. @local
  std::span<const index_t> row_begins() const noexcept { return pattern_.begins; }
  /// @throws UsageError after close()
  std::span<const index_t> local_columns() const;
  /// The values of these elements, which may be changed. Others see a change after a synchronisation. @local
  /// @throws likewise
  std::span<T> local_values();
  std::span<const T> local_values() const;

  /// The elements of any row. @onesided @throws UsageError if there is no such row
  std::vector<Triplet<T>> row(index_t i) const;

  /// y = alpha A x + beta y. y may be x. If beta == 0, the old y is never read, so NaN in it does not
  /// propagate. Each element of x that a rank's rows need is sent to it once, while rows that do not need it
  /// are multiplied. If x has another layout than column_layout(), it is brought into this one first. The
  /// result has the same bits on any number of ranks.
  /// @collective @throws UsageError if the lengths do not fit, or groups differ
  void multiply(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const;
  /// y = A x. @collective @throws likewise
  void multiply(const Array<T, 1>& x, Array<T, 1>& y) const { multiply(T{1}, x, T{0}, y); }
  /// The same, so that the matrix is an operator for the solvers of <tessera/krylov.hpp>. @collective
  void operator()(const Array<T, 1>& x, Array<T, 1>& y) const { multiply(x, y); }
  /// The same for callers that order accesses themselves. Since the last synchronisation each element of x has
  /// been changed by its owner alone. All ranks synchronise before a rank reads elements of y that others own.
  /// x may be changed at once. If x or y has another layout than products are fastest for, or y is x, it
  /// synchronises nevertheless. @collective @throws likewise
  void multiply_unsynchronised(const Array<T, 1>& x, Array<T, 1>& y) const;
  /// y = alpha A^T x + beta y, and with the conjugated transpose A^H. Here each rank adds to the elements of y
  /// that others own. Sums over several ranks are added in any order. Otherwise as multiply. @collective
  /// @throws likewise
  void multiply_transposed(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const;
  void multiply_adjoint(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const;
  /// C = A B for dense B and C. C may be B. @collective @throws as multiply
  void multiply(const Array<T, 2>& b, Array<T, 2>& c) const;
  /// v(i) = A(i, i), 0 where there is none. @collective @throws UsageError unless v is as long as the diagonal
  void get_diagonal(Array<T, 1>& v) const;

 private:
  struct Made;
  SparseMatrix(Made&& made, const Group& group, index_t rows, index_t columns, std::string_view name);
  void require_group(const Group& other, std::string_view operation) const;
  /// Requires that a product which maps vectors of `from` elements to vectors of `to` elements can begin.
  void require_vectors(std::string_view operation, index_t from, const Array<T, 1>& x, index_t to,
                       const Array<T, 1>& y) const;
  void begin_product(std::string_view operation, index_t from, const Array<T, 1>& x, index_t to,
                     const Array<T, 1>& y) const;

  index_t rows_, columns_;
  detail::SparsePattern pattern_;
  Array<index_t, 1> all_begins_;  // where all rows begin in all elements
  Array<index_t, 1> column_numbers_;
  Array<T, 1> values_;
  mutable detail::BorderExchange border_;  // for products: it has memory of its own
};

extern template class SparseMatrix<std::int32_t>;
extern template class SparseMatrix<std::int64_t>;
extern template class SparseMatrix<float>;
extern template class SparseMatrix<double>;
extern template class SparseMatrix<std::complex<float>>;
extern template class SparseMatrix<std::complex<double>>;

}  // namespace tessera
