// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>

#include "index_set.hpp"

namespace tessera::linalg::detail {

/// Rows and columns of a matrix, where one process stores all their common elements.
struct OwnedSubmatrix {
  int rank;
  IndexSet rows, columns;
  /// Whether the elements lie in memory as one matrix with these strides; otherwise they lie piece by piece.
  bool is_even;
  std::byte* data;  // null on other nodes
  index_t row_stride, column_stride;
  std::vector<tessera::detail::LocalPiece> pieces;
};

/// The shares of a matrix that a rank stores. There is one share if its blocks are all common elements of some
/// rows and columns, as in blocked, cyclic and tiled layouts. Otherwise there is one for each block. @local
std::vector<OwnedSubmatrix> shares_of(const tessera::detail::SliceCore& matrix, int rank);

}  // namespace tessera::linalg::detail
