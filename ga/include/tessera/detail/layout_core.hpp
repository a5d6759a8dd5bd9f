// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tessera/detail/axis.hpp>
#include <tessera/detail/block_list.hpp>
#include <tessera/runtime/types.hpp>
#include <tessera/view.hpp>

// Layouts with a run-time number of dimensions: what Layout<N> is a typed face of. Pure values, no MPI.
namespace tessera {

/// How the coordinates of a process grid become ranks: row_major has the last coordinate fastest.
enum class GridOrder : std::uint8_t { row_major, column_major };

namespace detail {

/// A part of a patch that lies at one rank: element (i, j, ...) of it is at offset + sum (i_d - lo_d) *
/// stride_d there.
struct Piece {
  int rank;
  Box box;
  index_t offset;       // in elements, of the piece's first
  Coordinates strides;  // in elements
};

/// What one rank stores. Where it is one block or the dense array of a cyclic layout, also as an array: element
/// (i, j, ...) is at offset + sum i_d * strides_d.
struct LocalShape {
  Coordinates extents{}, strides{};
  index_t offset = 0;
  index_t size = 0;      // elements, with those of ghost cells
  bool is_array = true;  // false: several blocks, one after another
};

class LayoutCore {
 public:
  LayoutCore() = default;
  /// The product of divided dimensions. @throws UsageError if an extent is negative, the product overflows, or
  /// a grid does not fit `ranks`.
  LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage);
  /// Any blocks. @throws UsageError as above, and as BlockList.
  LayoutCore(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks);

  LayoutCore with_storage(StorageOrder storage) const;
  /// Each block of a rank stored by itself, one after another. @throws UsageError unless it is a product
  LayoutCore with_tiles() const;
  /// The blocks of rank r given to rank members[r] instead. @throws UsageError if there are too few members, or
  /// one is no rank or listed twice
  LayoutCore on_ranks(std::vector<int> members, int ranks) const;
  /// Room for copies of others' elements around each block. @throws UsageError unless blocked or irregular, or
  /// if a width is negative
  LayoutCore with_ghosts(const index_t* widths) const;

  int rank() const noexcept { return rank_; }
  const Coordinates& dims() const noexcept { return dims_; }
  int ranks() const noexcept { return ranks_; }
  StorageOrder storage() const noexcept { return storage_; }
  index_t size() const noexcept;
  /// Whether it is a product; only then there are axes and a grid. @local
  bool is_product() const noexcept { return list_ == nullptr; }
  const Axis& axis(int d) const noexcept { return axes_[static_cast<std::size_t>(d)]; }
  int grid_size() const noexcept { return grid_size_; }
  GridOrder grid_order() const noexcept { return grid_order_; }
  /// Whether the ranks are those of the grid, in its order. @local
  bool is_restricted() const noexcept { return members_ != nullptr; }
  bool is_tiled() const noexcept { return tiled_; }
  bool has_ghosts() const noexcept { return ghosts_ != Coordinates{}; }
  const Coordinates& ghosts() const noexcept { return ghosts_; }
  /// Whether dimensions are dealt out in blocks, so that ranks have many. @local
  bool is_cyclic() const noexcept;
  /// Whether no rank has more than one block. @local
  bool has_single_blocks() const noexcept;
  /// Where a rank is in the grid; false for one that is not. @local
  bool coordinates(int rank, int* parts) const noexcept;
  /// The rank at a place of the grid. @local
  int rank_at(const int* parts) const noexcept;
  /// Whether each element is at the same rank in both. @local
  bool same_distribution(const LayoutCore& other) const noexcept;

  /// Of an element that is inside; `known` as in for_each_piece. @local
  template <int known = 0>
  int owner(const index_t* at) const noexcept;
  /// Where one element lies: its rank, and its offset there in elements. @local
  int locate(const index_t* at, index_t& offset) const noexcept {
    return tiled_ ? locate_in_tile(at, offset) : locate_in_array(at, offset);
  }
  LocalShape local(int rank) const noexcept;
  index_t block_count(int rank) const noexcept;
  /// Block b of a rank, as a piece of the whole array. @local
  Piece block(int rank, index_t b) const noexcept;
  /// Calls f(Piece) for the parts of a patch that is inside dims, in the order of increasing indices. Faster
  /// where the compiler knows the number of dimensions, if that is not 0.
  template <int known = 0, class F>
  void for_each_piece(const Box& patch, F&& f) const;

  std::uint64_t fingerprint() const noexcept;
  /// "blocked on a 2 x 3 grid", "block-cyclic 64 x 64 on a 2 x 1 grid". @local
  std::string description() const;
  friend bool operator==(const LayoutCore& a, const LayoutCore& b) noexcept;

 private:
  // Ranks other than those of the grid.
  struct Members {
    std::vector<int> ranks;                    // by number in the grid
    std::vector<std::pair<int, int>> numbers;  // (rank, number in the grid), sorted
  };
  int grid_number(int rank) const noexcept;  // -1: none
  int rank_of(int number) const noexcept {
    return members_ ? members_->ranks[static_cast<std::size_t>(number)] : number;
  }
  int locate_in_tile(const index_t* at, index_t& offset) const noexcept;
  int locate_in_array(const index_t* at, index_t& offset) const noexcept;
  template <int known = 0>
  void place(const Interval* intervals, Piece& piece) const noexcept;
  template <int known>
  void place_in_tile(const Interval* intervals, Piece& piece) const noexcept;
  Piece piece_of(const BlockList::Block& block, const Box& part) const noexcept;
  /// The dimensions from the fastest in storage to the slowest: the i-th. @local
  int by_speed(int i) const noexcept { return storage_ == StorageOrder::row_major ? rank_ - 1 - i : i; }

  int rank_ = 0;
  int ranks_ = 0;
  int grid_size_ = 0;
  std::array<int, static_cast<std::size_t>(max_rank)> grid_step_{};  // in numbers of the grid, by dimension
  GridOrder grid_order_ = GridOrder::row_major;
  StorageOrder storage_ = StorageOrder::row_major;
  bool tiled_ = false;
  Coordinates dims_{}, ghosts_{};
  std::array<Axis, static_cast<std::size_t>(max_rank)> axes_;
  std::shared_ptr<const Members> members_;
  std::shared_ptr<const BlockList> list_;
};

/// The process grid that blocked layouts use: of all grids with the most processes that leave none without
/// elements, the one that cuts the fewest pairs of neighbouring elements apart. `periodic`: by dimension,
/// whether its ends are neighbours; null if none are. @local
std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks, const std::vector<index_t>& min_block,
                             const bool* periodic);

template <int known>
inline int LayoutCore::owner(const index_t* at) const noexcept {
  if (list_) return list_->find(at).rank;
  int number = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(known > 0 ? known : rank_); ++d) {
    Interval here;
    axes_[d].find(at[d], here);
    number += here.part * grid_step_[d];
  }
  return rank_of(number);
}

inline int LayoutCore::locate_in_array(const index_t* at, index_t& offset) const noexcept {
  int number = 0;
  index_t stride = 1;
  offset = 0;
  for (int i = 0; i < rank_; ++i) {
    const auto d = static_cast<std::size_t>(by_speed(i));
    Interval here;
    axes_[d].find(at[d], here);
    number += here.part * grid_step_[d];
    offset += (ghosts_[d] + here.local_begin + (at[d] - here.begin)) * stride;
    stride *= axes_[d].count(here.part) + 2 * ghosts_[d];
  }
  return rank_of(number);
}

template <int known>
inline void LayoutCore::place(const Interval* intervals, Piece& piece) const noexcept {
  const int rank = known > 0 ? known : rank_;
  int number = 0;
  for (int d = 0; d < rank; ++d) number += intervals[d].part * grid_step_[static_cast<std::size_t>(d)];
  piece.rank = rank_of(number);
  if (tiled_) return place_in_tile<known>(intervals, piece);
  piece.offset = 0;
  index_t stride = 1;
  const bool last_is_fastest = storage_ == StorageOrder::row_major;
  for (int i = 0; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(last_is_fastest ? rank - 1 - i : i);
    const Interval& here = intervals[d];
    piece.strides[d] = stride;
    piece.offset += (ghosts_[d] + here.local_begin + (piece.box.lo[d] - here.begin)) * stride;
    if (i + 1 < rank) stride *= axes_[d].count(here.part) + 2 * ghosts_[d];
  }
}

// Tiles follow one another in storage order too. Before a tile lie, for each dimension, those that precede it
// there: in all of the faster dimensions, and only its own width of the slower ones.
template <int known>
inline void LayoutCore::place_in_tile(const Interval* intervals, Piece& piece) const noexcept {
  const int rank = known > 0 ? known : rank_;
  const bool last_is_fastest = storage_ == StorageOrder::row_major;
  index_t stride = 1, before = 0, faster = 1;
  piece.offset = 0;
  for (int i = 0; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(last_is_fastest ? rank - 1 - i : i);
    const Interval& here = intervals[d];
    const index_t width = here.end - here.begin;
    piece.strides[d] = stride;
    piece.offset += (piece.box.lo[d] - here.begin) * stride;
    stride *= width;
    before = before * width + here.local_begin * faster;
    if (i + 1 < rank) faster *= axes_[d].count(here.part);
  }
  piece.offset += before;
}

template <int known, class F>
void LayoutCore::for_each_piece(const Box& patch, F&& f) const {
  const auto rank = static_cast<std::size_t>(known > 0 ? known : rank_);
  for (std::size_t d = 0; d < rank; ++d) {
    if (patch.lo[d] >= patch.hi[d]) return;
  }
  if (list_) {
    return list_->for_each_overlap(patch, [&](const BlockList::Block& block, const Box& part) {
      f(static_cast<const Piece&>(piece_of(block, part)));
    });
  }
  Piece piece;
  Interval intervals[max_rank];
  const auto enter = [&](std::size_t d, index_t from) {
    axes_[d].find(from, intervals[d]);
    piece.box.lo[d] = from;
    piece.box.hi[d] = std::min(intervals[d].end, patch.hi[d]);
  };
  for (std::size_t d = 0; d < rank; ++d) enter(d, patch.lo[d]);
  for (;;) {
    place<known>(intervals, piece);
    f(static_cast<const Piece&>(piece));
    std::size_t d = rank;
    while (d > 0 && piece.box.hi[d - 1] == patch.hi[d - 1]) --d;
    if (d == 0) return;
    enter(d - 1, piece.box.hi[d - 1]);
    for (; d < rank; ++d) enter(d, patch.lo[d]);
  }
}

}  // namespace detail
}  // namespace tessera
