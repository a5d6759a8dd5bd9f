// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/fused.hpp>

#include "products/index_set.hpp"
#include "products/tensor_view.hpp"

namespace tessera::linalg::detail {

/// A box of fused dimensions, and how many indices of a set are before it.
struct IndexBox {
  tessera::detail::Box box;
  index_t before;
};
/// Covers a set of indices of fused dimensions, of which the last varies fastest. The indices of a box follow
/// one another in the set. A box with sides longer than 1 in several dimensions is found whole. @local
std::vector<IndexBox> boxes_of(const IndexSet& set, std::span<const index_t> extents);

/// The indices of fused dimensions whose coordinates are in the sets, one for each dimension. @local
IndexSet fused(std::span<const IndexSet> sets, std::span<const index_t> extents);

/// The stride of fused dimensions, if their elements are equally far apart. @local
std::optional<index_t> fused_stride(std::span<const index_t> extents, std::span<const index_t> strides);

class FusedMatrix;
/// A matrix with rows and columns exchanged. @local
FusedMatrix transposed(const tessera::detail::FusedCore& matrix);

/// A tensor as a matrix: its first dimensions are fused to rows, and the others to columns. The last one varies
/// fastest. No dimensions are one row, or one column. Refers to the array or source. @local
class FusedMatrix {
 public:
  FusedMatrix(const TensorView& tensor, int row_dimensions)
      : tensor_(tensor), row_dimensions_(static_cast<std::size_t>(row_dimensions)) {}
  /// A matrix as it is.
  FusedMatrix(const tessera::detail::SliceCore& matrix) : FusedMatrix(matrix, 1) {}

  const TensorView& tensor() const noexcept { return tensor_; }
  /// The slice, of a matrix that is stored.
  const tessera::detail::SliceCore& slice() const noexcept { return *tensor_.stored(); }
  tessera::detail::ArrayCore& array() const noexcept { return slice().array(); }
  std::size_t dimensions() const noexcept { return static_cast<std::size_t>(tensor_.rank()); }
  std::size_t row_dimensions() const noexcept { return row_dimensions_; }
  std::span<const index_t> row_extents() const noexcept { return all_extents().first(row_dimensions_); }
  std::span<const index_t> column_extents() const noexcept { return all_extents().subspan(row_dimensions_); }
  index_t rows() const noexcept { return product(row_extents()); }
  index_t columns() const noexcept { return product(column_extents()); }
  /// Whether the elements that lie closest are in one row. @local
  bool has_closest_in_rows() const;

  /// Calls f(box, offset, extents, strides) for boxes of the tensor that cover these rows and columns. Memory
  /// in which they lie with these strides has the first element of the box at `offset`, and its dimensions with
  /// `strides`.
  template <class F>
  void for_each_box(const IndexSet& rows, const IndexSet& columns, index_t row_stride, index_t column_stride,
                    F&& f) const {
    const std::vector<IndexBox> across = boxes_of(columns, column_extents());
    for (const IndexBox& row : boxes_of(rows, row_extents())) {
      for (const IndexBox& column : across) {
        tessera::detail::Box box{};
        tessera::detail::Coordinates extents{}, strides{};
        index_t stride = column_stride;
        for (std::size_t d = dimensions(); d-- > 0;) {
          if (d + 1 == row_dimensions_) stride = row_stride;
          const bool is_row = d < row_dimensions_;
          const IndexBox& from = is_row ? row : column;
          const std::size_t at = is_row ? d : d - row_dimensions_;
          box.lo[d] = from.box.lo[at];
          box.hi[d] = from.box.hi[at];
          extents[d] = box.hi[d] - box.lo[d];
          strides[d] = stride;
          stride *= extents[d];
        }
        f(static_cast<const tessera::detail::Box&>(box),
          row.before * row_stride + column.before * column_stride, extents, strides);
      }
    }
  }

 private:
  std::span<const index_t> all_extents() const noexcept { return {tensor_.extents().data(), dimensions()}; }
  static index_t product(std::span<const index_t> extents) noexcept {
    index_t all = 1;
    for (const index_t extent : extents) all *= extent;
    return all;
  }

  TensorView tensor_;
  std::size_t row_dimensions_;
};

}  // namespace tessera::linalg::detail
