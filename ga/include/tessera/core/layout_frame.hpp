// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/box.hpp>
#include <tessera/view.hpp>

// The common parts of all kinds of layouts.
namespace tessera::detail {

/// A part of a patch that lies at one rank: element (i, j, ...) of it is at offset + sum (i_d - lo_d) *
/// stride_d there.
struct Piece {
  int rank;
  Box box;
  index_t offset;       // in elements, of the piece's first
  Coordinates strides;  // in elements
};

/// The elements that one rank stores. One block, or the dense array of a cyclic layout, is also described as an
/// array: element (i, j, ...) is at offset + sum i_d * strides_d.
struct LocalShape {
  Coordinates extents{}, strides{};
  index_t offset = 0;
  index_t size = 0;      // in elements, ghost cells included
  bool is_array = true;  // false: several blocks, one after another
};

/// The common part of all layouts: the extents of the array, the number of ranks, and the storage order on a
/// rank.
class LayoutFrame {
 public:
  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }
  const Coordinates& dims() const noexcept { return dims_; }
  StorageOrder storage() const noexcept { return storage_; }
  /// How many elements there are. @local
  index_t size() const noexcept {
    index_t product = 1;
    for (int d = 0; d < rank_; ++d) product *= dims_[static_cast<std::size_t>(d)];
    return product;
  }
  bool has_same_frame(const LayoutFrame& other) const noexcept {
    return rank_ == other.rank_ && ranks_ == other.ranks_ && storage_ == other.storage_ && dims_ == other.dims_;
  }

 protected:
  LayoutFrame() = default;
  LayoutFrame(int rank, int ranks, StorageOrder storage) noexcept
      : rank_(rank), ranks_(ranks), storage_(storage) {}
  /// @throws UsageError if an extent is negative, or the product overflows
  void require_size() const;
  void store(StorageOrder storage) noexcept { storage_ = storage; }
  /// The i-th dimension, counted from the fastest in storage to the slowest. @local
  int by_speed(int i) const noexcept { return storage_ == StorageOrder::row_major ? rank_ - 1 - i : i; }

  int rank_ = 0;
  int ranks_ = 0;
  StorageOrder storage_ = StorageOrder::row_major;
  Coordinates dims_{};
};

}  // namespace tessera::detail
