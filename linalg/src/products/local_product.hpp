// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tessera/core/slice_core.hpp>

#include "blas/blas.hpp"
#include "products/owned_submatrices.hpp"

namespace tessera::linalg::detail {

/// Which parts of a symmetric result a product computes, in square tiles of `size` rows and columns. `lower`:
/// the tiles of the lower triangle. `alternate`: one of each two tiles that mirror each other, as on a
/// chessboard. It leaves every owner of a symmetric layout about half of its own tiles.
struct Tiles {
  enum class Part { all, lower, alternate };
  Part part = Part::all;
  index_t size = 1;

  /// Whether the tile in this row and column of tiles is computed. @local
  bool wants(index_t row, index_t column) const noexcept {
    if (part == Part::all || row == column) return true;
    return part == Part::lower ? row > column : ((row + column) % 2 == 0) == (row > column);
  }
};

/// Rows or columns of one tile, among the indices of a set.
struct TileRange {
  index_t number, offset, count;
};
std::vector<TileRange> tile_ranges(const IndexSet& set, index_t size);

/// A factor of a product, held as a matrix of outer x inner. The outer indices are the rows of a left factor or
/// the columns of a right one. The inner indices are summed over.
template <class T>
class Factor {
 public:
  /// `matrix` is outer x inner.
  Factor(const FusedMatrix& matrix, bool conjugated);

  bool is_conjugated() const noexcept { return conjugated_; }
  const std::vector<OwnedSubmatrix>& shares() const noexcept { return shares_; }
  /// Whether the elements come from a source, and are nowhere stored.
  bool is_source() const noexcept { return matrix_.tensor().stored() == nullptr; }
  /// Whether other nodes store a part of the factor, or a source has it.
  bool is_remote() const noexcept;
  /// Divides `outer` where the owner of this factor changes, so that each part may be read in place. It stays
  /// whole if the parts would be too small.
  std::vector<IndexSet> cut(const IndexSet& outer) const;
  /// How the inner indices are distributed over the owners of all of `outer`; empty if there are none.
  std::vector<IndexSet> inner_of(const IndexSet& outer) const;
  /// The elements where they are stored, if BLAS can read them there.
  std::optional<blas::Panel<const T>> in_place(const IndexSet& outer, const IndexSet& inner,
                                               blas::Order result) const;
  /// Begins to fetch the elements into `into`, which has room for all of them.
  blas::Panel<const T> fetch(const IndexSet& outer, const IndexSet& inner, blas::Order result, T* into,
                             Fetches& fetches) const;

 private:
  FusedMatrix matrix_;
  bool conjugated_;
  std::vector<OwnedSubmatrix> shares_;  // of all ranks
};

/// alpha * left * right for parts of a result, computed by one process alone. It reads the factors in place on
/// its node as far as possible. It fetches the rest while it multiplies the part before.
template <class T>
class LocalProduct {
 public:
  LocalProduct(T alpha, const FusedMatrix& left, bool conjugate_left, const FusedMatrix& right_transposed,
               bool conjugate_right);

  const Factor<T>& left() const noexcept { return left_; }
  const Factor<T>& right() const noexcept { return right_; }
  /// c = the product of these rows, columns and inner indices + beta * c, in those tiles. `first`, from 0 to
  /// below 1, is the part of the sum to begin with, so that not all ranks begin at the same owner. @onesided
  void add(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, T beta,
           const blas::Panel<T>& c, double first, const Tiles& tiles);
  /// The bytes that add() needs for factors that it fetches, for a result with these strides. @local
  index_t memory(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, index_t row_stride,
                 index_t column_stride, double first) const;
  /// The most for factors of any layouts. @local
  static index_t most_memory(index_t rows, index_t columns, index_t inner);

 private:
  struct Room;
  struct Step;
  template <class F>
  void for_each_block(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, F&& f) const;
  void add_block(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, T beta,
                 const blas::Panel<T>& c, double first, const Tiles& tiles);
  void multiply(const IndexSet& rows, const IndexSet& columns, const Step& step, T beta,
                const blas::Panel<T>& c, const Tiles& tiles) const;
  std::vector<IndexSet> steps(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner,
                              blas::Order result, double first) const;

  T alpha_;
  Factor<T> left_, right_;
};

}  // namespace tessera::linalg::detail
