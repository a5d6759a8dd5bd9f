// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tessera/sparse.hpp>

namespace tessera::benchmark::sparse {

/// One rank's rows of a matrix as a programmer would keep them: compressed, with the columns numbered anew. The
/// rank's own columns come first, then those that it needs from other ranks, in increasing order. @local
class LocalRows {
 public:
  explicit LocalRows(const SparseMatrix<double>& matrix);

  index_t rows() const noexcept { return static_cast<index_t>(begins_.size()) - 1; }
  /// How many elements of x this rank owns, and which others its rows need.
  index_t own() const noexcept { return own_; }
  const std::vector<index_t>& needed() const noexcept { return needed_; }
  /// y = A x for these rows, where x has the own elements and then the needed ones.
  void multiply(const double* x, double* y) const noexcept;

 private:
  index_t own_;
  std::vector<index_t> begins_, needed_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

/// y = A x by MPI: each rank packs the elements that others need, and MPI_Alltoallv exchanges them. The plan is
/// made once. @collective
class PackedProduct {
 public:
  PackedProduct(const Group& world, const SparseMatrix<double>& matrix);

  const LocalRows& rows() const noexcept { return rows_; }
  /// `x` has this rank's own elements, with room for the needed ones behind them. @collective
  void operator()(std::vector<double>& x, double* y);

 private:
  Group world_;
  LocalRows rows_;
  std::vector<int> send_counts_, send_begins_, receive_counts_, receive_begins_;
  std::vector<index_t> sent_;  // which own elements are sent
  std::vector<double> packed_;
};

}  // namespace tessera::benchmark::sparse
