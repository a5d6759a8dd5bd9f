// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

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
  index_t inner() const noexcept { return matrix_.columns(); }
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
  /// Whether this node stores all of the elements, so that fetch() copies them at once.
  bool is_near(const IndexSet& outer, const IndexSet& inner) const;
  /// Begins to fetch the elements into `into`, which has room for all of them.
  blas::Panel<const T> fetch(const IndexSet& outer, const IndexSet& inner, blas::Order result, T* into,
                             Fetches& fetches) const;

 private:
  FusedMatrix matrix_;
  bool conjugated_;
  std::vector<OwnedSubmatrix> shares_;  // of all ranks
};

/// A product alpha * left * right. The left factor is outer x inner, and the right one is transposed, so that
/// it is, too.
template <class T>
struct ProductFactors {
  T alpha;
  FusedMatrix left;
  bool conjugate_left;
  FusedMatrix right_transposed;
  bool conjugate_right;
};

/// Rows and columns of a product.
struct ProductBlock {
  IndexSet rows, columns;
};

/// alpha * left * right for parts of a result, computed by one process alone. It says in which steps; a
/// ProductQueue carries them out.
template <class T>
class LocalProduct {
 public:
  explicit LocalProduct(const ProductFactors<T>& factors);

  const Factor<T>& left() const noexcept { return left_; }
  const Factor<T>& right() const noexcept { return right_; }
  /// The number of inner indices. @local
  index_t inner() const noexcept { return left_.inner(); }
  /// The blocks of a part of the result that are computed one after the other. Those that need nothing from
  /// other nodes come first: the others are fetched meanwhile. `first` as for steps(). @local
  std::vector<ProductBlock> blocks(const ProductBlock& part, const IndexSet& inner, double first) const;
  /// The inner indices in steps: parts that this node has, and parts that are fetched at a time.
  /// `first`, from 0 to below 1, says with which to begin, so that not all ranks begin at the same owner.
  /// @local
  std::vector<IndexSet> steps(const ProductBlock& block, const IndexSet& inner, blas::Order result,
                              double first) const;
  /// c = the product of these factors + beta * c for a block, in those tiles. @local
  void multiply(const ProductBlock& block, index_t inner, const blas::Panel<const T>& left,
                const blas::Panel<const T>& right, T beta, const blas::Panel<T>& c, const Tiles& tiles) const;

 private:
  T alpha_;
  Factor<T> left_, right_;
};

/// The fewest and the most transfers that a queue of products has under way. There is one room more, for what
/// is multiplied. A request waits behind all data that goes the same way, so the next ones leave before a
/// transfer has ended.
inline constexpr index_t fewest_transfers = 2, most_transfers = 4;
/// How many it has, in rooms of so many bytes: more than the fewest only while all rooms are below the limit of
/// their memory. @local
index_t transfers_at_once(index_t room_bytes) noexcept;

/// The most inner indices that a step fetches for so many rows and columns. @local
template <class T>
index_t longest_step(index_t rows, index_t columns, index_t inner);

}  // namespace tessera::linalg::detail
