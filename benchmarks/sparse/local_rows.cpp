// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "local_rows.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <mpi.h>

#include "mpi_peer.hpp"

namespace tessera::benchmark::sparse {

LocalRows::LocalRows(const SparseMatrix<double>& matrix)
    : begins_(matrix.row_begins().begin(), matrix.row_begins().end()),
      values_(matrix.local_values().begin(), matrix.local_values().end()) {
  const auto columns = matrix.local_columns();
  const Patch<1> mine = matrix.column_layout().block(matrix.group().rank());
  const index_t first = mine.lo[0], last = mine.hi[0];
  own_ = last - first;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(needed_),
               [&](index_t c) { return c < first || c >= last; });
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  for (const index_t c : columns) {
    const bool is_own = c >= first && c < last;
    const auto place = std::lower_bound(needed_.begin(), needed_.end(), c) - needed_.begin();
    columns_.push_back(static_cast<std::int32_t>(is_own ? c - first : own_ + place));
  }
}

// Two sums, as in the library's loop: each addition waits for the last one of its sum.
void LocalRows::multiply(const double* x, double* y) const noexcept {
  const double* const values = values_.data();
  const std::int32_t* const columns = columns_.data();
  for (index_t i = 0; i < rows(); ++i) {
    index_t k = begins_[static_cast<std::size_t>(i)];
    const index_t end = begins_[static_cast<std::size_t>(i + 1)];
    double even = 0, odd = 0;
    for (; k + 1 < end; k += 2) {
      even += values[k] * x[columns[k]];
      odd += values[k + 1] * x[columns[k + 1]];
    }
    if (k < end) even += values[k] * x[columns[k]];
    y[i] = even + odd;
  }
}

namespace {

using mpi_peer::check;

std::vector<int> begins_of(const std::vector<int>& counts) {
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  return begins;
}

}  // namespace

PackedProduct::PackedProduct(const Group& world, const SparseMatrix<double>& matrix)
    : world_(world), rows_(matrix), receive_counts_(static_cast<std::size_t>(world.size()), 0) {
  const MPI_Comm comm = world.mpi_comm();
  const Layout<1>& layout = matrix.column_layout();
  for (const index_t column : rows_.needed())
    ++receive_counts_[static_cast<std::size_t>(layout.owner({column}))];
  send_counts_.resize(receive_counts_.size());
  check(MPI_Alltoall(receive_counts_.data(), 1, MPI_INT, send_counts_.data(), 1, MPI_INT, comm),
        "MPI_Alltoall");
  receive_begins_ = begins_of(receive_counts_);
  send_begins_ = begins_of(send_counts_);
  sent_.resize(static_cast<std::size_t>(send_begins_.back() + send_counts_.back()));
  packed_.resize(sent_.size());
  check(MPI_Alltoallv(rows_.needed().data(), receive_counts_.data(), receive_begins_.data(), MPI_INT64_T,
                      sent_.data(), send_counts_.data(), send_begins_.data(), MPI_INT64_T, comm),
        "MPI_Alltoallv");
  for (index_t& column : sent_) column -= layout.block(world.rank()).lo[0];
}

void PackedProduct::operator()(std::vector<double>& x, double* y) {
  for (std::size_t k = 0; k < sent_.size(); ++k) packed_[k] = x[static_cast<std::size_t>(sent_[k])];
  check(MPI_Alltoallv(packed_.data(), send_counts_.data(), send_begins_.data(), MPI_DOUBLE,
                      x.data() + rows_.own(), receive_counts_.data(), receive_begins_.data(), MPI_DOUBLE,
                      world_.mpi_comm()),
        "MPI_Alltoallv");
  rows_.multiply(x.data(), y);
}

}  // namespace tessera::benchmark::sparse
