// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <tessera/runtime/types.hpp>
#include <tessera/view.hpp>

// Layouts with a run-time number of dimensions: what Layout<N> is a typed face of. Pure values, no MPI.
namespace tessera {

/// How the coordinates of a process grid become ranks: row_major has the last coordinate fastest.
enum class GridOrder : std::uint8_t { row_major, column_major };

namespace detail {

using Coordinates = std::array<index_t, static_cast<std::size_t>(max_rank)>;

/// A patch with a run-time number of dimensions; the entries beyond it are not used, nor set.
struct Box {
  Coordinates lo, hi;
};

/// A range of one dimension that lies together in one part: [begin, end), stored from local_begin on.
struct Interval {
  int part;
  index_t begin, end, local_begin;
};

/// How one dimension of `extent` elements is divided over `parts` process coordinates.
class Axis {
 public:
  enum class Kind : std::uint8_t { blocked, irregular, cyclic };

  Axis() = default;
  /// Even blocks that differ by one element at most, the larger ones first.
  static Axis blocked(index_t extent, int parts);
  /// Block k begins at starts[k]; starts[0] is 0, starts do not decrease, blocks may be empty.
  static Axis irregular(index_t extent, std::vector<index_t> starts);
  /// Blocks of `block` elements dealt out in turn, as ScaLAPACK does.
  static Axis cyclic(index_t extent, index_t block, int parts);

  Kind kind() const noexcept { return kind_; }
  index_t extent() const noexcept { return extent_; }
  index_t block() const noexcept { return block_; }
  int parts() const noexcept { return parts_; }
  /// The interval that holds element i. @local
  Interval find(index_t i) const noexcept;
  /// Elements stored by a part. @local
  index_t count(int part) const noexcept;
  /// Number of intervals of a part: 0 or 1 unless cyclic. @local
  index_t intervals(int part) const noexcept;
  /// Interval b of a part. @local
  Interval interval(int part, index_t b) const noexcept;
  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  index_t start(int part) const noexcept;

  Kind kind_ = Kind::blocked;
  index_t extent_ = 0;
  index_t block_ = 0;  // blocked: the smaller size; cyclic: the block
  int parts_ = 1;
  // Kept because divisions are most of the time that one element takes.
  int larger_ = 0;     // blocked: how many blocks are larger; cyclic: how many parts have a whole block more
  index_t least_ = 0;  // cyclic: elements in whole blocks of every part
  std::vector<index_t> starts_;  // irregular only
};

/// A part of a patch that lies at one rank: element (i, j, ...) of it is at offset + sum (i_d - lo_d) *
/// stride_d there.
struct Piece {
  int rank;
  Box box;
  index_t offset;       // in elements, of the piece's first
  Coordinates strides;  // in elements
};

/// The elements of one rank as the dense array they are stored in.
struct LocalShape {
  Coordinates extents{}, strides{};
  index_t size = 0;
};

class LayoutCore {
 public:
  LayoutCore() = default;
  /// @throws UsageError if an extent is negative, the product overflows, or a grid does not fit `ranks`.
  LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage);

  int rank() const noexcept { return rank_; }
  const Coordinates& dims() const noexcept { return dims_; }
  const Axis& axis(int d) const noexcept { return axes_[static_cast<std::size_t>(d)]; }
  int ranks() const noexcept { return ranks_; }
  int grid_size() const noexcept { return grid_size_; }
  GridOrder grid_order() const noexcept { return grid_order_; }
  StorageOrder storage() const noexcept { return storage_; }
  LayoutCore with_storage(StorageOrder storage) const;
  index_t size() const noexcept;
  bool is_cyclic() const noexcept;

  int owner(const index_t* at) const noexcept;
  /// Where one element lies: its rank, and its offset there in elements. @local
  int locate(const index_t* at, index_t& offset) const noexcept;
  LocalShape local(int rank) const noexcept;
  index_t block_count(int rank) const noexcept;
  /// Block b of a rank, as a piece of the whole array. @local
  Piece block(int rank, index_t b) const noexcept;
  /// Calls f(Piece) for the parts of a patch that is inside dims, in the order of increasing indices.
  template <class F>
  void for_each_piece(const Box& patch, F&& f) const;

  std::uint64_t fingerprint() const noexcept;
  /// "blocked 2 x 3 grid", "block-cyclic 64 x 64 on 2 x 1 grid". @local
  std::string description() const;
  friend bool operator==(const LayoutCore&, const LayoutCore&) = default;

 private:
  bool coordinates(int rank, int* parts) const noexcept;  // false for a rank outside the grid
  int rank_of(const Interval* intervals) const noexcept;
  void place(const Interval* intervals, Piece& piece) const noexcept;
  template <class F>
  void split(int d, const Box& patch, Piece& piece, Interval* intervals, F& f) const;

  int rank_ = 0;
  int ranks_ = 0;
  int grid_size_ = 0;
  GridOrder grid_order_ = GridOrder::row_major;
  StorageOrder storage_ = StorageOrder::row_major;
  Coordinates dims_{};
  std::array<Axis, static_cast<std::size_t>(max_rank)> axes_;
};

/// The process grid that blocked layouts use: of all grids with the most processes that leave none without
/// elements, the one whose blocks have the least surface (so the least to exchange with neighbours). @local
std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks,
                             const std::vector<index_t>& min_block);

inline index_t Axis::start(int part) const noexcept {
  if (part >= parts_) return extent_;
  if (kind_ == Kind::irregular) return starts_[static_cast<std::size_t>(part)];
  return part * block_ + std::min(part, larger_);
}

inline Interval Axis::find(index_t i) const noexcept {
  if (parts_ == 1) return {0, 0, extent_, 0};
  if (kind_ == Kind::cyclic) {
    const index_t number = i / block_, begin = number * block_;
    return {static_cast<int>(number % parts_), begin, begin + std::min(block_, extent_ - begin),
            number / parts_ * block_};
  }
  int part = 0;
  if (kind_ == Kind::irregular) {
    part = static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), i) - starts_.begin()) - 1;
  } else {
    const index_t border = larger_ * (block_ + 1);
    part = static_cast<int>(i < border ? i / (block_ + 1) : larger_ + (i - border) / block_);
  }
  return {part, start(part), start(part + 1), 0};
}

inline index_t Axis::count(int part) const noexcept {
  if (kind_ != Kind::cyclic) return start(part + 1) - start(part);
  if (part != larger_) return least_ + (part < larger_ ? block_ : 0);
  return least_ + (extent_ - least_ * parts_ - larger_ * block_);  // with what is left of the last block
}

template <class F>
void LayoutCore::for_each_piece(const Box& patch, F&& f) const {
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank_); ++d) {
    if (patch.lo[d] >= patch.hi[d]) return;
  }
  Piece piece;
  Interval intervals[max_rank];
  split(0, patch, piece, intervals, f);
}

template <class F>
void LayoutCore::split(int d, const Box& patch, Piece& piece, Interval* intervals, F& f) const {
  if (d == rank_) {
    place(intervals, piece);
    return f(static_cast<const Piece&>(piece));
  }
  const auto at = static_cast<std::size_t>(d);
  for (index_t i = patch.lo[at]; i < patch.hi[at]; i = piece.box.hi[at]) {
    Interval& here = intervals[d] = axes_[at].find(i);
    here.local_begin += i - here.begin;
    piece.box.lo[at] = here.begin = i;
    piece.box.hi[at] = here.end = std::min(here.end, patch.hi[at]);
    split(d + 1, patch, piece, intervals, f);
  }
}

}  // namespace detail
}  // namespace tessera
