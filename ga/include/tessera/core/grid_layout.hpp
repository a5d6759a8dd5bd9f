// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/axis.hpp>
#include <tessera/core/layout_frame.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

namespace tessera {

/// How the coordinates of a process grid become ranks: row_major has the last coordinate fastest.
enum class GridOrder : std::uint8_t { row_major, column_major };

namespace detail {

/// The kind of layout that divides each dimension by itself, and gives the products of the parts to the
/// processes of a grid. It is blocked, irregular, block-cyclic or tiled. A value; all @local.
class GridLayout : public LayoutFrame {
 public:
  GridLayout() = default;
  /// @throws UsageError if an extent is negative, the product overflows, or the grid does not fit `ranks`
  GridLayout(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage);
  /// @throws and meaning as the same functions of LayoutCore
  GridLayout with_tiles() const;
  GridLayout on_ranks(std::vector<int> members, int ranks) const;
  GridLayout with_ghosts(const index_t* widths) const;
  GridLayout with_axes(std::vector<Axis> axes) const;
  /// The same with each axis cut into fewer parts: part p of the new grid belongs to the rank that had part
  /// p * factors of the old one. @local
  GridLayout with_fewer_parts(std::vector<Axis> axes, const index_t* factors) const;

  const Axis& axis(int d) const noexcept { return axes_[static_cast<std::size_t>(d)]; }
  GridOrder grid_order() const noexcept { return grid_order_; }
  bool is_restricted() const noexcept { return members_ != nullptr; }
  bool is_tiled() const noexcept { return tiled_; }
  bool has_ghosts() const noexcept { return ghosts_ != Coordinates{}; }
  const Coordinates& ghosts() const noexcept { return ghosts_; }
  bool is_cyclic() const noexcept;
  bool coordinates(int rank, int* parts) const noexcept;
  int rank_at(const int* parts) const noexcept;

  // Members that both kinds of layouts have; they mean the same as in LayoutCore.
  using LayoutFrame::store;
  bool has_single_blocks() const noexcept { return !is_cyclic(); }
  template <int known>
  int owner(const index_t* at) const noexcept;
  template <int known>
  int locate(const index_t* at, index_t& offset) const noexcept {
    return tiled_ ? locate_in_tile(at, offset) : locate_in_array<known>(at, offset);
  }
  LocalShape local(int rank) const noexcept;
  index_t block_count(int rank) const noexcept;
  Piece block(int rank, index_t b) const noexcept;
  /// The block with these numbers along the dimensions. @local
  Piece block_at(const index_t* numbers) const noexcept;
  template <int known, class F>
  void for_each_piece(const Box& patch, F&& f) const;
  void add_to(Fingerprint& print) const noexcept;
  std::string description() const;
  friend bool operator==(const GridLayout& a, const GridLayout& b) noexcept;

 private:
  // The ranks that own the parts, if these are not the numbers in the grid themselves.
  struct Members {
    std::vector<int> ranks;                    // by number in the grid
    std::vector<std::pair<int, int>> numbers;  // (rank, number in the grid), sorted
  };
  int grid_number(int rank) const noexcept;  // -1: none
  int rank_of(int number) const noexcept {
    return members_ ? members_->ranks[static_cast<std::size_t>(number)] : number;
  }
  int locate_in_tile(const index_t* at, index_t& offset) const noexcept;
  template <int known>
  int locate_in_array(const index_t* at, index_t& offset) const noexcept;
  template <int known = 0>
  void place(const Interval* intervals, Piece& piece) const noexcept;
  template <int known>
  void place_in_tile(const Interval* intervals, Piece& piece) const noexcept;

  int grid_size_ = 0;
  std::array<int, static_cast<std::size_t>(max_rank)> grid_step_{};  // in numbers of the grid, by dimension
  GridOrder grid_order_ = GridOrder::row_major;
  bool tiled_ = false;
  Coordinates ghosts_{};
  std::array<Axis, static_cast<std::size_t>(max_rank)> axes_;
  std::shared_ptr<const Members> members_;
};

template <int known>
inline int GridLayout::owner(const index_t* at) const noexcept {
  int number = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(known > 0 ? known : rank_); ++d) {
    Interval here;
    axes_[d].find(at[d], here);
    number += here.part * grid_step_[d];
  }
  return rank_of(number);
}

// Loops have the same direction for both storage orders: with a direction that is not known, this took three
// times as long.
template <int known>
inline int GridLayout::locate_in_array(const index_t* at, index_t& offset) const noexcept {
  constexpr auto most = static_cast<std::size_t>(known > 0 ? known : max_rank);
  const auto rank = static_cast<std::size_t>(known > 0 ? known : rank_);
  std::array<index_t, most> local, counts;
  int number = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    Interval here;
    axes_[d].find(at[d], here);
    number += here.part * grid_step_[d];
    local[d] = ghosts_[d] + here.local_begin + (at[d] - here.begin);
    counts[d] = axes_[d].count(here) + 2 * ghosts_[d];
  }
  index_t place = 0;
  if (storage_ == StorageOrder::row_major) {
    for (std::size_t d = 0; d < rank; ++d) place = place * counts[d] + local[d];
  } else {
    for (std::size_t d = rank; d-- > 0;) place = place * counts[d] + local[d];
  }
  offset = place;
  return rank_of(number);
}

template <int known>
inline void GridLayout::place(const Interval* intervals, Piece& piece) const noexcept {
  const int rank = known > 0 ? known : rank_;
  int number = 0;
  for (int d = 0; d < rank; ++d) number += intervals[d].part * grid_step_[static_cast<std::size_t>(d)];
  piece.rank = rank_of(number);
  if (tiled_) return place_in_tile<known>(intervals, piece);
  index_t stride = 1, offset = 0;
  const auto pass = [&](int dimension) {
    const auto d = static_cast<std::size_t>(dimension);
    const Interval& here = intervals[d];
    piece.strides[d] = stride;
    offset += (ghosts_[d] + here.local_begin + (piece.box.lo[d] - here.begin)) * stride;
    stride *= axes_[d].count(here) + 2 * ghosts_[d];
  };
  if (storage_ == StorageOrder::row_major) {
    for (int d = rank; d-- > 0;) pass(d);
  } else {
    for (int d = 0; d < rank; ++d) pass(d);
  }
  piece.offset = offset;
}

// Tiles follow one another in storage order too. For each dimension, the tiles that precede a tile along it lie
// before the tile. They extend over all of the faster dimensions, but only over the tile's own width in the
// slower ones.
template <int known>
inline void GridLayout::place_in_tile(const Interval* intervals, Piece& piece) const noexcept {
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
void GridLayout::for_each_piece(const Box& patch, F&& f) const {
  const auto rank = static_cast<std::size_t>(known > 0 ? known : rank_);
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
