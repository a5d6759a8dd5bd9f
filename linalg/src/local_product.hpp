// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/request.hpp>

#include "blas.hpp"
#include "owned_submatrices.hpp"

namespace tessera::linalg::detail {

/// Which parts of a symmetric result a product computes, in squares of so many rows and columns: all, those of
/// the lower triangle, or of each two that mirror each other one, as on a chessboard, which leaves every owner
/// of a symmetric layout about half of its own.
struct Tiles {
  enum class Part { all, lower, alternate };
  Part part = Part::all;
  index_t size = 1;

  /// Whether the square in this row and column of squares is computed. @local
  bool wants(index_t row, index_t column) const noexcept {
    if (part == Part::all || row == column) return true;
    return part == Part::lower ? row > column : ((row + column) % 2 == 0) == (row > column);
  }
};

/// Rows or columns of one square, among those of a set.
struct TileRange {
  index_t number, offset, count;
};
std::vector<TileRange> tile_ranges(const IndexSet& set, index_t size);

/// A factor of a product as the process that computes needs it: `outer` are the rows of a left factor or the
/// columns of a right one, `inner` what is summed over. Held as a matrix of outer x inner.
template <class T>
class Factor {
 public:
  /// `matrix` is outer x inner.
  Factor(const tessera::detail::SliceCore& matrix, bool conjugated);

  bool is_conjugated() const noexcept { return conjugated_; }
  const std::vector<OwnedSubmatrix>& shares() const noexcept { return shares_; }
  /// Whether other nodes have a part of it.
  bool is_remote() const noexcept;
  /// Divides outer indices where the owners of this factor change, so that each part may be read in place; as
  /// they are where that would make splinters.
  std::vector<IndexSet> cut(const IndexSet& outer) const;
  /// How the inner indices are distributed over those who own all of `outer`; nothing if nobody does.
  std::vector<IndexSet> inner_of(const IndexSet& outer) const;
  /// The elements where they are stored, if BLAS can read them there.
  std::optional<blas::Panel<const T>> in_place(const IndexSet& outer, const IndexSet& inner,
                                               blas::Order result) const;
  /// Begins to fetch them, into as many elements as they are.
  blas::Panel<const T> fetch(const IndexSet& outer, const IndexSet& inner, blas::Order result, T* into,
                             Request& request) const;

 private:
  tessera::detail::SliceCore matrix_;
  bool conjugated_;
  std::vector<OwnedSubmatrix> shares_;  // of all ranks
};

/// alpha * left * right for parts of a result, computed by one process alone: from where the factors lie on its
/// node as far as possible, the rest fetched while the part before it is multiplied.
template <class T>
class LocalProduct {
 public:
  LocalProduct(T alpha, const tessera::detail::SliceCore& left, bool conjugate_left,
               const tessera::detail::SliceCore& right_transposed, bool conjugate_right);

  const Factor<T>& left() const noexcept { return left_; }
  const Factor<T>& right() const noexcept { return right_; }
  /// c = the product of these rows, columns and inner indices + beta * c, in those tiles. `first` says with
  /// which part of the sum to begin, from 0 to below 1, so that not all begin at the same owner. @onesided
  void add(const IndexSet& rows, const IndexSet& columns, const IndexSet& inner, T beta,
           const blas::Panel<T>& c, double first, const Tiles& tiles);

 private:
  struct Room;
  struct Step;
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
