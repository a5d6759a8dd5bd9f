// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/layout_core.hpp>
#include <tessera/runtime/detail/product.hpp>

#include <algorithm>
#include <limits>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "at.hpp"
#include "format.hpp"
#include "patch_text.hpp"

namespace tessera::detail {
namespace {

// The pairs of neighbouring elements that one grid cuts apart.
double faces_cut(const std::vector<index_t>& dims, const bool* periodic, const std::vector<int>& grid) {
  double sum = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (grid[d] == 1) continue;
    double face = periodic != nullptr && periodic[d] ? grid[d] : grid[d] - 1;
    for (std::size_t e = 0; e < dims.size(); ++e) {
      if (e != d) face *= static_cast<double>(dims[e]);
    }
    sum += face;
  }
  return sum;
}

struct Search {
  const std::vector<index_t>& dims;
  const std::vector<index_t>& most;  // parts per dimension
  const bool* periodic;
  std::vector<int> grid, best;
  double least = std::numeric_limits<double>::infinity();

  void factor(std::size_t d, int rest) {
    if (d + 1 == dims.size()) {
      if (rest > most[d]) return;
      grid[d] = rest;
      if (const double faces = faces_cut(dims, periodic, grid); faces < least) least = faces, best = grid;
      return;
    }
    // From the largest factor down, so that of equals the first dimension is cut the most: blocks of whole
    // rows.
    for (int f = static_cast<int>(std::min<index_t>(rest, most[d])); f >= 1; --f) {
      if (rest % f != 0) continue;
      grid[d] = f;
      factor(d + 1, rest / f);
    }
  }
};

}  // namespace

namespace {

// Of all layouts. Returns the number of elements.
index_t checked_size(const index_t* dims, std::size_t rank) {
  index_t elements = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (dims[d] < 0)
      throw UsageError(formatted("a layout has the negative extent {} in dimension {}", dims[d], d));
    const auto more = checked_product(elements, std::max<index_t>(dims[d], 1));
    if (!more)
      throw UsageError(formatted("a layout has more than 2^63 elements (dimension {} has {})", d, dims[d]));
    elements = *more;
  }
  return elements;
}

}  // namespace

LayoutCore::LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage)
    : rank_(static_cast<int>(axes.size())), ranks_(ranks), grid_order_(grid_order), storage_(storage) {
  index_t grid = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    dims_[d] = axes[d].extent();
    // Neither factor is above 2^31: the product cannot overflow before it is looked at.
    grid *= axes[d].parts();
    if (grid > ranks) {
      throw UsageError(
          formatted("a layout's grid has {} blocks or processes but there are only {} ranks", grid, ranks));
    }
  }
  checked_size(dims_.data(), axes.size());
  grid_size_ = static_cast<int>(grid);
  int step = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? rank_ - 1 - i : i;
    grid_step_[at(d)] = step;
    step *= axes[at(d)].parts();
  }
  std::move(axes.begin(), axes.end(), axes_.begin());
}

LayoutCore::LayoutCore(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks)
    : rank_(rank), ranks_(ranks), tiled_(true) {
  checked_size(dims, at(rank));
  std::copy_n(dims, rank, dims_.begin());
  list_ = std::make_shared<const BlockList>(rank, dims_, ranks, blocks);
}

LayoutCore LayoutCore::with_storage(StorageOrder storage) const {
  LayoutCore copy = *this;
  copy.storage_ = storage;
  return copy;
}

LayoutCore LayoutCore::with_tiles() const {
  LayoutCore copy = *this;
  copy.tiled_ = true;
  for (int d = 0; d < rank_; ++d) copy.axes_[at(d)] = axes_[at(d)].with_tiles();
  return copy;
}

LayoutCore LayoutCore::on_ranks(std::vector<int> members, int ranks) const {
  if (static_cast<int>(members.size()) < ranks_) {
    throw UsageError(
        formatted("a layout for {} ranks cannot be given to the {} that are listed", ranks_, members.size()));
  }
  std::vector<std::pair<int, int>> numbers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] < 0 || members[i] >= ranks)
      throw UsageError(formatted("rank {} of a layout's list is none of the {} ranks", members[i], ranks));
    numbers.emplace_back(members[i], static_cast<int>(i));
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i].first == numbers[i - 1].first)
      throw UsageError(formatted("rank {} is listed twice for a layout", numbers[i].first));
  }
  LayoutCore copy = *this;
  copy.ranks_ = ranks;
  if (list_) {
    std::vector<OwnedBox> blocks;
    for (const auto& block : list_->blocks()) blocks.push_back({members[at(block.rank)], block.box});
    copy.list_ = std::make_shared<const BlockList>(rank_, dims_, ranks, blocks);
    return copy;
  }
  if (members_) {
    // Of those that were members: whom they stand for now.
    std::vector<int> again;
    for (int old : members_->ranks) again.push_back(members[at(old)]);
    copy.members_ = nullptr;
    copy.ranks_ = static_cast<int>(again.size());
    return copy.on_ranks(std::move(again), ranks);
  }
  copy.members_ = std::make_shared<const Members>(Members{std::move(members), std::move(numbers)});
  return copy;
}

LayoutCore LayoutCore::with_ghosts(const index_t* widths) const {
  LayoutCore copy = *this;
  index_t elements = 1;
  for (int d = 0; d < rank_; ++d) {
    if (widths[d] < 0)
      throw UsageError(formatted("the width {} of the ghost cells in dimension {} is negative", widths[d], d));
    copy.ghosts_[at(d)] = widths[d];
    // Of a block that is all of the array, in the worst case.
    index_t all = 0;
    const bool fits = !__builtin_mul_overflow(widths[d], index_t{2}, &all) &&
                      !__builtin_add_overflow(all, std::max<index_t>(dims_[at(d)], 1), &all) &&
                      !__builtin_mul_overflow(all, elements, &elements);
    if (!fits)
      throw UsageError(formatted(
          "a layout with ghost cells {} wide in dimension {} has more than 2^63 elements", widths[d], d));
  }
  if (copy.has_ghosts() && (list_ || tiled_ || is_cyclic())) {
    throw UsageError(formatted("only blocked and irregular layouts can have ghost cells, and this one is {}",
                               description()));
  }
  return copy;
}

index_t LayoutCore::size() const noexcept {
  index_t product = 1;
  for (int d = 0; d < rank_; ++d) product *= dims_[at(d)];
  return product;
}

bool LayoutCore::is_cyclic() const noexcept {
  return std::any_of(axes_.begin(), axes_.begin() + rank_, [](const Axis& axis) {
    return axis.kind() == Axis::Kind::cyclic || axis.kind() == Axis::Kind::dealt;
  });
}

bool LayoutCore::has_single_blocks() const noexcept {
  if (!list_) return !is_cyclic();
  return std::all_of(list_->blocks().begin(), list_->blocks().end(),
                     [&](const BlockList::Block& block) { return list_->block_count(block.rank) == 1; });
}

int LayoutCore::grid_number(int rank) const noexcept {
  if (!members_) return rank < grid_size_ ? rank : -1;
  const auto& numbers = members_->numbers;
  const auto found = std::lower_bound(numbers.begin(), numbers.end(), std::pair(rank, 0));
  return found == numbers.end() || found->first != rank || found->second >= grid_size_ ? -1 : found->second;
}

bool LayoutCore::coordinates(int rank, int* parts) const noexcept {
  if (list_) return false;
  int number = grid_number(rank);
  if (number < 0) return false;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? rank_ - 1 - i : i;
    parts[d] = number % axes_[at(d)].parts();
    number /= axes_[at(d)].parts();
  }
  return true;
}

int LayoutCore::rank_at(const int* parts) const noexcept {
  int number = 0;
  for (int d = 0; d < rank_; ++d) number += parts[d] * grid_step_[at(d)];
  return rank_of(number);
}

Piece LayoutCore::piece_of(const BlockList::Block& block, const Box& part) const noexcept {
  Piece piece{block.rank, part, block.offset, {}};
  index_t stride = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = by_speed(i);
    piece.strides[at(d)] = stride;
    piece.offset += (part.lo[at(d)] - block.box.lo[at(d)]) * stride;
    stride *= block.box.hi[at(d)] - block.box.lo[at(d)];
  }
  return piece;
}

int LayoutCore::locate_in_tile(const index_t* where, index_t& offset) const noexcept {
  Piece piece;
  std::copy_n(where, rank_, piece.box.lo.begin());
  if (list_) {
    piece = piece_of(list_->find(where), piece.box);
  } else {
    Interval intervals[max_rank];
    for (int d = 0; d < rank_; ++d) axes_[at(d)].find(where[d], intervals[d]);
    place(intervals, piece);
  }
  offset = piece.offset;
  return piece.rank;
}

LocalShape LayoutCore::local(int rank) const noexcept {
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
    if (list_) {
      shape.size = list_->size(rank);
      return shape;
    }
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
  shape.size = stride;
  return shape;
}

index_t LayoutCore::block_count(int rank) const noexcept {
  if (list_) return list_->block_count(rank);
  int parts[max_rank];
  if (!coordinates(rank, parts)) return 0;
  index_t count = 1;
  for (int d = 0; d < rank_; ++d) count *= axes_[at(d)].intervals(parts[d]);
  return count;
}

Piece LayoutCore::block(int rank, index_t b) const noexcept {
  if (list_) {
    const BlockList::Block& block = list_->block(rank, b);
    return piece_of(block, block.box);
  }
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

bool LayoutCore::same_distribution(const LayoutCore& other) const noexcept {
  if (rank_ != other.rank_ || !std::equal(dims_.begin(), dims_.begin() + rank_, other.dims_.begin()))
    return false;
  bool same = true;
  // By pieces, as blocks that are cut differently may still be at the same ranks.
  for_each_piece({{}, dims_}, [&](const Piece& mine) {
    if (same)
      other.for_each_piece(mine.box, [&](const Piece& theirs) { same = same && theirs.rank == mine.rank; });
  });
  return same;
}

std::uint64_t LayoutCore::fingerprint() const noexcept {
  Fingerprint print;
  print.add(rank_).add(ranks_).add(static_cast<int>(grid_order_)).add(static_cast<int>(storage_));
  print.add(static_cast<int>(tiled_));
  for (int d = 0; d < rank_; ++d) print.add(dims_[at(d)]).add(ghosts_[at(d)]);
  for (int d = 0; is_product() && d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    const bool even = axis.kind() == Axis::Kind::blocked || axis.kind() == Axis::Kind::cyclic;
    print.add(static_cast<int>(axis.kind())).add(axis.block()).add(axis.parts());
    for (index_t begin = 0; !even && begin < axis.extent(); begin = axis.find(begin).end)
      print.add(begin).add(axis.find(begin).part);
  }
  if (list_) {
    for (const auto& block : list_->blocks()) {
      print.add(block.rank);
      for (int d = 0; d < rank_; ++d) print.add(block.box.lo[at(d)]).add(block.box.hi[at(d)]);
    }
  }
  for (int g = 0; members_ && g < grid_size_; ++g) print.add(members_->ranks[at(g)]);
  return print.value();
}

bool operator==(const LayoutCore& a, const LayoutCore& b) noexcept {
  const bool alike = a.rank_ == b.rank_ && a.ranks_ == b.ranks_ && a.grid_order_ == b.grid_order_ &&
                     a.storage_ == b.storage_ && a.tiled_ == b.tiled_ && a.dims_ == b.dims_ &&
                     a.ghosts_ == b.ghosts_ && a.axes_ == b.axes_ && a.is_product() == b.is_product() &&
                     a.is_restricted() == b.is_restricted();
  if (!alike) return false;
  if (a.members_ && !std::equal(a.members_->ranks.begin(), a.members_->ranks.begin() + a.grid_size_,
                                b.members_->ranks.begin(), b.members_->ranks.begin() + b.grid_size_))
    return false;
  return a.list_ == b.list_ || a.list_->is_equal(*b.list_);
}

std::string LayoutCore::description() const {
  if (list_) return formatted("{} blocks by a list", list_->blocks().size());
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

std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks, const std::vector<index_t>& min_block,
                             const bool* periodic) {
  std::vector<index_t> most(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    most[d] = std::max<index_t>(1, dims[d] / std::max<index_t>(1, min_block[d]));
  }
  index_t fitting = 1;  // more cannot hold elements
  for (const index_t parts : most)
    fitting = std::min<index_t>(ranks, fitting * std::min<index_t>(ranks, parts));
  // Not every number of processes has factors that fit the extents: then fewer of them hold elements.
  for (int used = static_cast<int>(fitting); used > 1; --used) {
    Search search{dims, most, periodic, std::vector<int>(dims.size(), 1), {}};
    search.factor(0, used);
    if (!search.best.empty()) return search.best;
  }
  return std::vector<int>(dims.size(), 1);
}

}  // namespace tessera::detail
