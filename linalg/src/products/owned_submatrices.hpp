// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "products/fused_matrix.hpp"

namespace tessera::linalg::detail {

/// Rows and columns of a matrix, where one process stores all their common elements.
struct OwnedSubmatrix {
  int rank;
  IndexSet rows, columns;
  /// Whether the elements lie in memory as one matrix with these strides; otherwise they lie piece by piece.
  bool is_even;
  std::byte* data;  // null on other nodes
  /// Of the closest rows and columns, unless is_even.
  index_t row_stride, column_stride;
  std::vector<tessera::detail::LocalPiece> pieces;
  /// The coordinates along each dimension that is fused to rows or columns.
  std::vector<IndexSet> coordinates;
};

/// The shares of a matrix that a rank stores. There is one share if its blocks are all common elements of some
/// rows and columns, as in blocked, cyclic and tiled layouts. Otherwise there is one for each block. @local
std::vector<OwnedSubmatrix> shares_of(const FusedMatrix& matrix, int rank);

/// Whether BLAS can write a share where it lies. @local
bool is_panel(const OwnedSubmatrix& share) noexcept;

/// A share in parts with at most so many elements: some coordinates of the first dimension that has several.
/// The parts are no longer even. @local
std::vector<OwnedSubmatrix> parts_of(const FusedMatrix& matrix, const OwnedSubmatrix& share, index_t most);

}  // namespace tessera::linalg::detail
