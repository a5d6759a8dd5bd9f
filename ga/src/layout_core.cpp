// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/layout_core.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tessera/runtime/detail/fingerprint.hpp>

namespace tessera::detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double largest_block(index_t extent, int parts) {
  return static_cast<double>(extent / parts + static_cast<index_t>(extent % parts != 0));
}

// The surface of the largest block, in elements, for one grid.
double surface(const std::vector<index_t>& dims, const std::vector<int>& grid) {
  double volume = 1, sum = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) volume *= largest_block(dims[d], grid[d]);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (grid[d] > 1) sum += volume / largest_block(dims[d], grid[d]);
  }
  return sum;
}

struct Search {
  const std::vector<index_t>& dims;
  const std::vector<index_t>& most;  // parts per dimension
  std::vector<int> grid, best;
  double least = std::numeric_limits<double>::infinity();

  void factor(std::size_t d, int rest) {
    if (d + 1 == dims.size()) {
      if (rest > most[d]) return;
      grid[d] = rest;
      if (const double s = surface(dims, grid); s < least) least = s, best = grid;
      return;
    }
    // From the largest factor down, so that of equal surfaces the first dimension is cut the most: blocks of
    // whole rows.
    for (int f = rest; f >= 1; --f) {
      if (rest % f != 0 || f > most[d]) continue;
      grid[d] = f;
      factor(d + 1, rest / f);
    }
  }
};

}  // namespace

Axis Axis::blocked(index_t extent, int parts) {
  Axis axis;
  axis.extent_ = extent;
  axis.parts_ = parts;
  axis.block_ = extent / parts;
  axis.larger_ = static_cast<int>(extent % parts);
  return axis;
}

Axis Axis::irregular(index_t extent, std::vector<index_t> starts) {
  Axis axis;
  axis.kind_ = Kind::irregular;
  axis.extent_ = extent;
  axis.parts_ = static_cast<int>(starts.size());
  axis.starts_ = std::move(starts);
  return axis;
}

Axis Axis::cyclic(index_t extent, index_t block, int parts) {
  Axis axis;
  axis.kind_ = Kind::cyclic;
  axis.extent_ = extent;
  axis.block_ = block;
  axis.parts_ = parts;
  axis.larger_ = static_cast<int>(extent / block % parts);
  axis.least_ = extent / block / parts * block;
  return axis;
}

index_t Axis::intervals(int part) const noexcept {
  if (kind_ != Kind::cyclic || parts_ == 1) return count(part) > 0 ? 1 : 0;
  return (count(part) + block_ - 1) / block_;
}

Interval Axis::interval(int part, index_t b) const noexcept {
  if (parts_ == 1) return {0, 0, extent_, 0};  // one piece, whatever its blocks
  if (kind_ != Kind::cyclic) return {part, start(part), start(part + 1), 0};
  const index_t begin = (b * parts_ + part) * block_;
  return {part, begin, begin + std::min(block_, extent_ - begin), b * block_};
}

LayoutCore::LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage)
    : rank_(static_cast<int>(axes.size())), ranks_(ranks), grid_order_(grid_order), storage_(storage) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  index_t elements = 1, grid = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const index_t extent = axes[d].extent();
    if (extent < 0)
      throw UsageError(fmt::format("a layout has the negative extent {} in dimension {}", extent, d));
    if (extent > 0 && elements > most / extent) {
      throw UsageError(fmt::format("a layout has more than 2^63 elements (dimension {} has {})", d, extent));
    }
    elements *= std::max<index_t>(extent, 1);
    grid *= axes[d].parts();
    dims_[d] = extent;
  }
  if (grid > ranks) {
    throw UsageError(
        fmt::format("a layout's grid has {} blocks or processes but there are only {} ranks", grid, ranks));
  }
  grid_size_ = static_cast<int>(grid);
  std::move(axes.begin(), axes.end(), axes_.begin());
}

LayoutCore LayoutCore::with_storage(StorageOrder storage) const {
  LayoutCore copy = *this;
  copy.storage_ = storage;
  return copy;
}

index_t LayoutCore::size() const noexcept {
  index_t product = 1;
  for (int d = 0; d < rank_; ++d) product *= dims_[at(d)];
  return product;
}

bool LayoutCore::is_cyclic() const noexcept {
  return std::any_of(axes_.begin(), axes_.begin() + rank_,
                     [](const Axis& axis) { return axis.kind() == Axis::Kind::cyclic; });
}

bool LayoutCore::coordinates(int rank, int* parts) const noexcept {
  if (rank < 0 || rank >= grid_size_) return false;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? rank_ - 1 - i : i;
    parts[d] = rank % axes_[at(d)].parts();
    rank /= axes_[at(d)].parts();
  }
  return true;
}

int LayoutCore::rank_of(const Interval* intervals) const noexcept {
  int rank = 0;
  for (int i = 0; i < rank_; ++i) {
    const int d = grid_order_ == GridOrder::row_major ? i : rank_ - 1 - i;
    rank = rank * axes_[at(d)].parts() + intervals[d].part;
  }
  return rank;
}

void LayoutCore::place(const Interval* intervals, Piece& piece) const noexcept {
  piece.rank = rank_of(intervals);
  piece.offset = 0;
  index_t stride = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = storage_ == StorageOrder::row_major ? rank_ - 1 - i : i;
    piece.strides[at(d)] = stride;
    piece.offset += intervals[d].local_begin * stride;
    stride *= axes_[at(d)].count(intervals[d].part);
  }
}

int LayoutCore::owner(const index_t* where) const noexcept {
  Interval intervals[max_rank];
  for (int d = 0; d < rank_; ++d) intervals[d] = axes_[at(d)].find(where[d]);
  return rank_of(intervals);
}

int LayoutCore::locate(const index_t* where, index_t& offset) const noexcept {
  Interval intervals[max_rank];
  index_t stride = 1;
  offset = 0;
  for (int i = 0; i < rank_; ++i) {
    const int d = storage_ == StorageOrder::row_major ? rank_ - 1 - i : i;
    const Interval& here = intervals[d] = axes_[at(d)].find(where[d]);
    offset += (here.local_begin + where[d] - here.begin) * stride;
    stride *= axes_[at(d)].count(here.part);
  }
  return rank_of(intervals);
}

LocalShape LayoutCore::local(int rank) const noexcept {
  LocalShape shape;
  int parts[max_rank];
  if (!coordinates(rank, parts)) return shape;
  index_t stride = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = storage_ == StorageOrder::row_major ? rank_ - 1 - i : i;
    shape.strides[at(d)] = stride;
    shape.extents[at(d)] = axes_[at(d)].count(parts[d]);
    stride *= shape.extents[at(d)];
  }
  shape.size = stride;
  return shape;
}

index_t LayoutCore::block_count(int rank) const noexcept {
  int parts[max_rank];
  if (!coordinates(rank, parts)) return 0;
  index_t count = 1;
  for (int d = 0; d < rank_; ++d) count *= axes_[at(d)].intervals(parts[d]);
  return count;
}

Piece LayoutCore::block(int rank, index_t b) const noexcept {
  int parts[max_rank] = {};
  Interval intervals[max_rank];
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

std::uint64_t LayoutCore::fingerprint() const noexcept {
  Fingerprint print;
  print.add(rank_).add(ranks_).add(static_cast<int>(grid_order_)).add(static_cast<int>(storage_));
  for (int d = 0; d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    print.add(static_cast<int>(axis.kind())).add(axis.extent()).add(axis.block()).add(axis.parts());
    for (int part = 0; axis.kind() == Axis::Kind::irregular && part < axis.parts(); ++part)
      print.add(axis.count(part));
  }
  return print.value();
}

std::string LayoutCore::description() const {
  std::vector<int> grid;
  std::vector<index_t> blocks;
  const char* kind = "blocked";
  for (int d = 0; d < rank_; ++d) {
    const Axis& axis = axes_[at(d)];
    grid.push_back(axis.parts());
    if (axis.kind() == Axis::Kind::cyclic) blocks.push_back(axis.block());
    if (axis.kind() == Axis::Kind::irregular) kind = "irregular";
  }
  const std::string shape = fmt::format("{}", fmt::join(grid, " x "));
  if (!blocks.empty()) return fmt::format("block-cyclic {} on a {} grid", fmt::join(blocks, " x "), shape);
  return fmt::format("{} on a {} grid", kind, shape);
}

std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks,
                             const std::vector<index_t>& min_block) {
  std::vector<index_t> most(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    most[d] = std::max<index_t>(1, dims[d] / std::max<index_t>(1, min_block[d]));
  }
  // Not every number of processes has factors that fit the extents: then fewer of them hold elements.
  for (int used = ranks; used > 1; --used) {
    Search search{dims, most, std::vector<int>(dims.size(), 1), {}};
    search.factor(0, used);
    if (!search.best.empty()) return search.best;
  }
  return std::vector<int>(dims.size(), 1);
}

}  // namespace tessera::detail
