// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/layout.hpp>

#include <algorithm>
#include <functional>
#include <limits>

#include "layout/choose_grid.hpp"

#include "format.hpp"

namespace tessera::detail {
namespace {

// The message is formatted only if it is needed: layouts are made within every array.
template <class... T>
void require(bool condition, fmt::format_string<const T&...> text, const T&... arguments) {
  if (!condition) throw UsageError(formatted(text, arguments...));
}

constexpr index_t max_processes = std::numeric_limits<int>::max();

int ranks_or(int ranks, index_t blocks) {
  require(ranks >= 0, "a layout cannot be for {} ranks", ranks);
  require(ranks > 0 || blocks <= max_processes, "a layout has {} blocks, more than there can be processes",
          blocks);
  return ranks > 0 ? ranks : static_cast<int>(blocks);
}

// The number of processes of a grid.
int grid_size(int rank, const index_t* grid) {
  index_t processes = 1;
  for (int d = 0; d < rank; ++d) {
    require(grid[d] > 0, "grid extent {} of dimension {} is not positive", grid[d], d);
    // At most the largest int before each step, so that the product of two fits 64 bits.
    processes = grid[d] > max_processes ? grid[d] : processes * grid[d];
    require(processes <= max_processes, "a layout's grid has {} processes, more than there can be", processes);
  }
  return static_cast<int>(processes);
}

// The grid of a blocked layout: where `grid` has 0, or is null, the number of processes is chosen.
std::vector<int> complete_grid(int rank, const index_t* dims, int ranks, const index_t* min_block,
                               const index_t* grid, const bool* periodic) {
  std::vector<int> parts(static_cast<std::size_t>(rank));
  std::vector<int*> open;
  std::vector<index_t> open_dims, open_min;
  std::vector<char> open_periodic;
  index_t given = 1;
  for (int d = 0; d < rank; ++d) {
    require(min_block[d] >= 0, "the least block of dimension {} has {} elements", d, min_block[d]);
    int& here = parts[static_cast<std::size_t>(d)];
    if (grid != nullptr && grid[d] != 0) {
      require(grid[d] > 0 && grid[d] <= ranks,
              "grid extent {} of dimension {} is not between 1 and the {} ranks; 0 lets it be chosen", grid[d],
              d, ranks);
      here = static_cast<int>(grid[d]);
      given = std::min<index_t>(given * here, max_processes);
      continue;
    }
    open.push_back(&here);
    open_dims.push_back(dims[d]);
    open_min.push_back(min_block[d]);
    open_periodic.push_back(static_cast<char>(periodic != nullptr && periodic[d]));
  }
  if (open.empty()) return parts;
  require(given <= ranks, "a layout's grid has {} processes but there are only {} ranks", given, ranks);
  const auto chosen = choose_grid(open_dims, ranks / static_cast<int>(given), open_min, open_periodic);
  for (std::size_t i = 0; i < open.size(); ++i) *open[i] = chosen[i];
  return parts;
}

void require_one_block_each(const LayoutCore& layout) {
  const bool has_one_block_each =
      layout.is_product() && !layout.grid()->is_tiled() && !layout.grid()->is_cyclic();
  if (has_one_block_each) return;
  throw UsageError(
      formatted("only blocked and irregular layouts have others of the same blocks, and this one is {}",
                layout.description()));
}

// The layout with other extents, and blocks that begin elsewhere: change(d, start) for each start of dimension
// d.
template <class Change>
LayoutCore with_starts(const LayoutCore& layout, const index_t* dims, Change&& change) {
  require_one_block_each(layout);
  std::vector<Axis> axes;
  for (int d = 0; d < layout.rank(); ++d) {
    const Axis& axis = layout.grid()->axis(d);
    std::vector<index_t> starts{0};
    for (int part = 1; part < axis.parts(); ++part) starts.push_back(change(d, axis.interval(part, 0).begin));
    axes.push_back(Axis::of_starts(dims[d], std::move(starts)));
  }
  return layout.with_axes(std::move(axes));
}

}  // namespace

std::vector<index_t> block_starts(const LayoutCore& layout, int dimension) {
  require_grid(layout);
  require(dimension >= 0 && dimension < layout.rank(), "a layout of {} dimensions has no dimension {}",
          layout.rank(), dimension);
  const Axis& axis = layout.grid()->axis(dimension);
  std::vector<index_t> starts;
  for (index_t b = 0; b < axis.blocks(); ++b)
    starts.push_back(axis.interval(static_cast<int>(b % axis.parts()), b / axis.parts()).begin);
  return starts;
}

bool is_at_end(const LayoutCore& layout, int rank, int dimension, Side side) {
  require(dimension >= 0 && dimension < layout.rank(), "a layout of {} dimensions has no dimension {}",
          layout.rank(), dimension);
  const index_t blocks = layout.block_count(rank);
  require(blocks <= 1, "rank {} has {} blocks, not one that may be at the end", rank, blocks);
  if (blocks == 0) return false;
  const Box box = layout.block(rank, 0).box;
  const auto d = static_cast<std::size_t>(dimension);
  const bool at_low = box.lo[d] == 0, at_high = box.hi[d] == layout.dims()[d];
  return side == Side::low ? at_low : side == Side::high ? at_high : at_low && at_high;
}

LayoutCore make_like(const LayoutCore& other, const index_t* dims) {
  for (int d = 0; d < other.rank(); ++d)
    require(dims[d] >= 0, "extent {} of dimension {} is negative", dims[d], d);
  return with_starts(other, dims, [&](int d, index_t start) {
    const index_t before = other.dims()[static_cast<std::size_t>(d)];
    return start == before ? dims[d] : std::min(start, dims[d]);
  });
}

LayoutCore refined(const LayoutCore& layout, const index_t* factors) {
  index_t dims[max_rank];
  for (int d = 0; d < layout.rank(); ++d) {
    require(factors[d] > 0, "a layout cannot be refined {} times in dimension {}", factors[d], d);
    require(!__builtin_mul_overflow(layout.dims()[static_cast<std::size_t>(d)], factors[d], &dims[d]),
            "a layout that is refined {} times in dimension {} has more than 2^63 elements there", factors[d],
            d);
  }
  return with_starts(layout, dims, [&](int d, index_t start) { return start * factors[d]; });
}

LayoutCore coarsened(const LayoutCore& layout, const index_t* factors) {
  const auto coarse = [&](int d, index_t i) {
    return i / factors[d] + static_cast<index_t>(i % factors[d] != 0);
  };
  index_t dims[max_rank];
  for (int d = 0; d < layout.rank(); ++d) {
    require(factors[d] > 0, "a layout cannot be coarsened {} times in dimension {}", factors[d], d);
    dims[d] = coarse(d, layout.dims()[static_cast<std::size_t>(d)]);
  }
  return with_starts(layout, dims, coarse);
}

LayoutCore make_blocked(int rank, const index_t* dims, int ranks, const index_t* min_block, const index_t* grid,
                        const bool* periodic) {
  require(ranks > 0, "a layout needs at least one rank, not {}", ranks);
  for (int d = 0; d < rank; ++d) require(dims[d] >= 0, "extent {} of dimension {} is negative", dims[d], d);
  const std::vector<int> parts = complete_grid(rank, dims, ranks, min_block, grid, periodic);
  std::vector<Axis> axes;
  for (int d = 0; d < rank; ++d) axes.push_back(Axis::blocked(dims[d], parts[static_cast<std::size_t>(d)]));
  return {std::move(axes), ranks, GridOrder::row_major, StorageOrder::row_major};
}

LayoutCore make_irregular(int rank, const index_t* dims, const std::vector<index_t>* starts, int ranks) {
  std::vector<Axis> axes;
  index_t blocks = 1;
  for (int d = 0; d < rank; ++d) {
    const auto& here = starts[d];
    require(!here.empty() && here.front() == 0, "block starts of dimension {} do not begin with 0", d);
    require(std::is_sorted(here.begin(), here.end()), "block starts of dimension {} decrease", d);
    require(here.back() <= dims[d], "block start {} of dimension {} exceeds its extent {}", here.back(), d,
            dims[d]);
    axes.push_back(Axis::irregular(dims[d], here));
    blocks *= static_cast<index_t>(here.size());
  }
  return {std::move(axes), ranks_or(ranks, blocks), GridOrder::row_major, StorageOrder::row_major};
}

LayoutCore make_block_cyclic(int rank, const index_t* dims, const index_t* block, const index_t* grid,
                             GridOrder order, int ranks) {
  const int processes = grid_size(rank, grid);
  std::vector<Axis> axes;
  for (int d = 0; d < rank; ++d) {
    require(block[d] > 0, "block extent {} of dimension {} is not positive", block[d], d);
    axes.push_back(Axis::cyclic(dims[d], block[d], static_cast<int>(grid[d])));
  }
  return {std::move(axes), ranks_or(ranks, processes), order, StorageOrder::column_major};
}

LayoutCore make_tiled(int rank, const index_t* dims, const index_t* tile, const index_t* grid, GridOrder order,
                      int ranks) {
  return make_block_cyclic(rank, dims, tile, grid, order, ranks)
      .with_tiles()
      .with_storage(StorageOrder::row_major);
}

LayoutCore make_tiled(int rank, const index_t* dims, const std::vector<index_t>* starts, const index_t* grid,
                      GridOrder order, int ranks) {
  const int processes = grid_size(rank, grid);
  std::vector<Axis> axes;
  for (int d = 0; d < rank; ++d) {
    const auto& here = starts[d];
    require(!here.empty() && here.front() == 0, "tile starts of dimension {} do not begin with 0", d);
    require(std::adjacent_find(here.begin(), here.end(), std::greater_equal<>()) == here.end(),
            "tile starts of dimension {} do not increase", d);
    require(here.back() == 0 || here.back() < dims[d], "tile start {} of dimension {} reaches its extent {}",
            here.back(), d, dims[d]);
    axes.push_back(Axis::dealt(dims[d], here, static_cast<int>(grid[d])));
  }
  return LayoutCore(std::move(axes), ranks_or(ranks, processes), order, StorageOrder::row_major).with_tiles();
}

LayoutCore make_listed(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks) {
  int last = 0;
  for (const OwnedBox& block : blocks) last = std::max(last, block.rank);
  return {rank, dims, blocks, ranks_or(ranks, index_t{last} + 1)};
}

LayoutCore agglomerated(const LayoutCore& layout, const index_t* factors) {
  require_one_block_each(layout);
  std::vector<Axis> axes;
  for (int d = 0; d < layout.rank(); ++d) {
    require(factors[d] > 0, "{} blocks of dimension {} cannot become one", factors[d], d);
    const Axis& axis = layout.grid()->axis(d);
    std::vector<index_t> starts;
    for (index_t part = 0; part < axis.parts(); part += std::min<index_t>(factors[d], axis.parts()))
      starts.push_back(axis.interval(static_cast<int>(part), 0).begin);
    axes.push_back(Axis::of_starts(axis.extent(), std::move(starts)));
  }
  return layout.with_fewer_parts(std::move(axes), factors);
}

void require_grid(const LayoutCore& layout) {
  if (!layout.is_product()) throw UsageError(formatted("a layout of {} has no grid", layout.description()));
}

int rank_at(const LayoutCore& layout, const index_t* coordinates) {
  require_grid(layout);
  int parts[max_rank];
  for (int d = 0; d < layout.rank(); ++d) {
    const int count = layout.grid()->axis(d).parts();
    require(coordinates[d] >= 0 && coordinates[d] < count,
            "coordinate {} of dimension {} is outside a grid of {}", coordinates[d], d, count);
    parts[d] = static_cast<int>(coordinates[d]);
  }
  return layout.grid()->rank_at(parts);
}

Piece block_at(const LayoutCore& layout, const index_t* position) {
  require_grid(layout);
  for (int d = 0; d < layout.rank(); ++d) {
    const index_t count = layout.grid()->axis(d).blocks();
    require(position[d] >= 0 && position[d] < count, "there is no block {} in dimension {}, which has {}",
            position[d], d, count);
  }
  return layout.grid()->block_at(position);
}

}  // namespace tessera::detail
