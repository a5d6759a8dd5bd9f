// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/grid_layout.hpp>

#include <algorithm>

#include "base/at.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {

GridLayout::GridLayout(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage)
    : LayoutFrame(static_cast<int>(axes.size()), ranks, storage), grid_order_(grid_order) {
  index_t grid = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    dims_[d] = axes[d].extent();
    // Neither factor is above 2^31, so the product cannot overflow before it is checked.
    grid *= axes[d].parts();
    if (grid > ranks) {
      throw UsageError(
          formatted("a layout's grid has {} blocks or processes but there are only {} ranks", grid, ranks));
    }
  }
  require_size();
  grid_size_ = static_cast<int>(grid);
  int step = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? rank_ - 1 - i : i;
    grid_step_[at(d)] = step;
    step *= axes[at(d)].parts();
  }
  std::move(axes.begin(), axes.end(), axes_.begin());
}

GridLayout GridLayout::with_tiles() const {
  GridLayout copy = *this;
  copy.tiled_ = true;
  for (int d = 0; d < rank_; ++d) copy.axes_[at(d)] = axes_[at(d)].with_tiles();
  return copy;
}

GridLayout GridLayout::on_ranks(std::vector<int> members, int ranks) const {
  // Replaces each previous member by the rank that now stands for it.
  if (members_) {
    std::vector<int> again;
    for (int old : members_->ranks) again.push_back(members[at(old)]);
    members = std::move(again);
  }
  std::vector<std::pair<int, int>> numbers;
  for (std::size_t i = 0; i < members.size(); ++i) numbers.emplace_back(members[i], static_cast<int>(i));
  std::sort(numbers.begin(), numbers.end());
  GridLayout copy = *this;
  copy.ranks_ = ranks;
  copy.members_ = std::make_shared<const Members>(Members{std::move(members), std::move(numbers)});
  return copy;
}

GridLayout GridLayout::with_ghosts(const index_t* widths) const {
  GridLayout copy = *this;
  index_t elements = 1;
  for (int d = 0; d < rank_; ++d) {
    copy.ghosts_[at(d)] = widths[d];
    // In the worst case, one block is all of the array.
    index_t all = 0;
    const bool fits = !__builtin_mul_overflow(widths[d], index_t{2}, &all) &&
                      !__builtin_add_overflow(all, std::max<index_t>(dims_[at(d)], 1), &all) &&
                      !__builtin_mul_overflow(all, elements, &elements);
    if (!fits)
      throw UsageError(formatted(
          "a layout with ghost cells {} wide in dimension {} has more than 2^63 elements", widths[d], d));
  }
  return copy;
}

GridLayout GridLayout::with_axes(std::vector<Axis> axes) const {
  GridLayout other(std::move(axes), ranks_, grid_order_, storage_);
  other.members_ = members_;
  return other.with_ghosts(ghosts_.data());
}

GridLayout GridLayout::with_fewer_parts(std::vector<Axis> axes, const index_t* factors) const {
  int count = 1;
  for (const Axis& axis : axes) count *= axis.parts();
  const GridLayout small(std::move(axes), count, grid_order_, storage_);
  std::vector<int> members;
  for (int number = 0; number < count; ++number) {
    int parts[max_rank] = {};
    small.coordinates(number, parts);
    for (int d = 0; d < rank_; ++d) parts[d] = static_cast<int>(parts[d] * factors[d]);
    members.push_back(rank_at(parts));
  }
  return small.on_ranks(std::move(members), ranks_).with_ghosts(ghosts_.data());
}

bool GridLayout::is_cyclic() const noexcept {
  return std::any_of(axes_.begin(), axes_.begin() + rank_, [](const Axis& axis) {
    return axis.kind() == Axis::Kind::cyclic || axis.kind() == Axis::Kind::dealt;
  });
}

int GridLayout::grid_number(int rank) const noexcept {
  if (!members_) return rank < grid_size_ ? rank : -1;
  const auto& numbers = members_->numbers;
  const auto found = std::lower_bound(numbers.begin(), numbers.end(), std::pair(rank, 0));
  return found == numbers.end() || found->first != rank || found->second >= grid_size_ ? -1 : found->second;
}

bool GridLayout::coordinates(int rank, int* parts) const noexcept {
  int number = grid_number(rank);
  if (number < 0) return false;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? rank_ - 1 - i : i;
    parts[d] = number % axes_[at(d)].parts();
    number /= axes_[at(d)].parts();
  }
  return true;
}

int GridLayout::rank_at(const int* parts) const noexcept {
  int number = 0;
  for (int d = 0; d < rank_; ++d) number += parts[d] * grid_step_[at(d)];
  return rank_of(number);
}

int GridLayout::locate_in_tile(const index_t* where, index_t& offset) const noexcept {
  Piece piece;
  std::copy_n(where, rank_, piece.box.lo.begin());
  Interval intervals[max_rank];
  for (int d = 0; d < rank_; ++d) axes_[at(d)].find(where[d], intervals[d]);
  place(intervals, piece);
  offset = piece.offset;
  return piece.rank;
}

LocalShape GridLayout::local(int rank) const noexcept {
  LocalShape shape;
  if (tiled_) {
    const index_t blocks = block_count(rank);
    if (blocks == 1) {
      const Piece whole = block(rank, 0);
      shape.size = 1;
      shape.strides = whole.strides;
      for (int d = 0; d < rank_; ++d)
        shape.size *= shape.extents[at(d)] = whole.box.hi[at(d)] - whole.box.lo[at(d)];
      return shape;
    }
    shape.is_array = blocks == 0;
  }
  int parts[max_rank];
  if (!coordinates(rank, parts)) return shape;
  index_t stride = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = by_speed(i);
    const index_t ghosts = ghosts_[at(d)];
    shape.strides[at(d)] = stride;
    shape.extents[at(d)] = axes_[at(d)].count(parts[d]);
    shape.offset += ghosts * stride;
    stride *= shape.extents[at(d)] + 2 * ghosts;
  }
  // A rank without elements has no ghost cells either: nothing would fill them.
  if (block_count(rank) == 0)
    shape.offset = 0;
  else
    shape.size = stride;
  return shape;
}

index_t GridLayout::block_count(int rank) const noexcept {
  int parts[max_rank];
  if (!coordinates(rank, parts)) return 0;
  index_t count = 1;
  for (int d = 0; d < rank_; ++d) count *= axes_[at(d)].intervals(parts[d]);
  return count;
}

Piece GridLayout::block(int rank, index_t b) const noexcept {
  int parts[max_rank] = {};
  Interval intervals[max_rank] = {};
  Piece piece{};
  coordinates(rank, parts);
  for (int d = rank_ - 1; d >= 0; --d) {
    const index_t count = axes_[at(d)].intervals(parts[d]);
    intervals[d] = axes_[at(d)].interval(parts[d], count == 0 ? 0 : b % count);
    b /= std::max<index_t>(count, 1);
    piece.box.lo[at(d)] = intervals[d].begin;
    piece.box.hi[at(d)] = intervals[d].end;
  }
  place(intervals, piece);
  return piece;
}

Piece GridLayout::block_at(const index_t* numbers) const noexcept {
  Interval intervals[max_rank] = {};
  Piece piece{};
  for (int d = 0; d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    // Blocks are dealt out in turn. If there is one for each part, this is the first turn.
    intervals[d] = axis.interval(static_cast<int>(numbers[d] % axis.parts()), numbers[d] / axis.parts());
    piece.box.lo[at(d)] = intervals[d].begin;
    piece.box.hi[at(d)] = intervals[d].end;
  }
  place(intervals, piece);
  return piece;
}

void GridLayout::add_to(Fingerprint& print) const noexcept {
  print.add(static_cast<int>(grid_order_)).add(static_cast<int>(tiled_));
  for (int d = 0; d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    const bool even = axis.kind() == Axis::Kind::blocked || axis.kind() == Axis::Kind::cyclic;
    print.add(static_cast<int>(axis.kind())).add(axis.block()).add(axis.parts());
    for (index_t begin = 0; !even && begin < axis.extent(); begin = axis.find(begin).end)
      print.add(begin).add(axis.find(begin).part);
  }
  for (int i = 0; members_ && i < grid_size_; ++i) print.add(members_->ranks[at(i)]);
}

bool operator==(const GridLayout& a, const GridLayout& b) noexcept {
  const bool alike = a.has_same_frame(b) && a.grid_order_ == b.grid_order_ && a.tiled_ == b.tiled_ &&
                     a.ghosts_ == b.ghosts_ && a.axes_ == b.axes_ && a.is_restricted() == b.is_restricted();
  if (!alike || !a.members_) return alike;
  return std::equal(a.members_->ranks.begin(), a.members_->ranks.begin() + a.grid_size_,
                    b.members_->ranks.begin(), b.members_->ranks.begin() + b.grid_size_);
}

std::string GridLayout::description() const {
  std::vector<int> grid;
  std::vector<std::string> blocks;
  const char* kind = "blocked";
  for (int d = 0; d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    grid.push_back(axis.parts());
    if (axis.kind() == Axis::Kind::cyclic) blocks.push_back(formatted("{}", axis.block()));
    if (axis.kind() == Axis::Kind::dealt) blocks.push_back(formatted("{} irregular", axis.blocks()));
    if (axis.kind() == Axis::Kind::irregular) kind = "irregular";
  }
  std::string text = kind;
  if (!blocks.empty()) text = formatted("{} {}", tiled_ ? "tiled" : "block-cyclic", joined(blocks, " x "));
  text += formatted(" on a {} grid", joined(grid, " x "));
  if (members_) text += formatted(" of {} among {} ranks", grid_size_, ranks_);
  if (has_ghosts()) text += formatted(", ghost cells {}", extents_text(ghosts_.data(), rank_));
  return text;
}

}  // namespace tessera::detail
