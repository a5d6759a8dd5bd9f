// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>

#include "index_set.hpp"

namespace tessera::linalg::detail {

/// Rows and columns of a matrix that one process stores all elements of.
struct OwnedSubmatrix {
  int rank;
  IndexSet rows, columns;
  /// Whether they lie as one matrix with these strides; else piece by piece.
  bool is_even;
  std::byte* data;  // null on other nodes
  index_t row_stride, column_stride;
  std::vector<tessera::detail::LocalPiece> pieces;
};

/// What a rank stores of a matrix: one share where its blocks are all of some rows and columns, as those of
/// blocked, cyclic and tiled layouts are; else one for each block. @local
std::vector<OwnedSubmatrix> shares_of(const tessera::detail::SliceCore& matrix, int rank);

}  // namespace tessera::linalg::detail
