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

void require(bool condition, const std::string& message) {
  if (!condition) throw UsageError(message);
}

constexpr index_t max_processes = std::numeric_limits<int>::max();

std::vector<index_t> copy(const index_t* values, int rank) { return {values, values + rank}; }

int ranks_or(int ranks, index_t blocks) {
  require(ranks >= 0, formatted("a layout cannot be for {} ranks", ranks));
  return ranks > 0 ? ranks : static_cast<int>(blocks);
}

// The number of processes of a grid.
int grid_size(int rank, const index_t* grid) {
  index_t processes = 1;
  for (int d = 0; d < rank; ++d) {
    require(grid[d] > 0, formatted("grid extent {} of dimension {} is not positive", grid[d], d));
    // At most the largest int before each step, so that the product of two fits 64 bits.
    processes = grid[d] > max_processes ? grid[d] : processes * grid[d];
    require(processes <= max_processes,
            formatted("a layout's grid has {} processes, more than there can be", processes));
  }
  return static_cast<int>(processes);
}

}  // namespace

LayoutCore make_blocked(int rank, const index_t* dims, int ranks, const index_t* min_block, const index_t* grid,
                        const bool* periodic) {
  require(ranks > 0, formatted("a layout needs at least one rank, not {}", ranks));
  for (int d = 0; d < rank; ++d)
    require(dims[d] >= 0, formatted("extent {} of dimension {} is negative", dims[d], d));
  std::vector<int> parts;
  if (grid == nullptr) {
    parts = choose_grid(copy(dims, rank), ranks, copy(min_block, rank), periodic);
  } else {
    for (int d = 0; d < rank; ++d) {
      require(grid[d] > 0 && grid[d] <= ranks,
              formatted("grid extent {} of dimension {} is not between 1 and the {} ranks", grid[d], d, ranks));
      parts.push_back(static_cast<int>(grid[d]));
    }
  }
  std::vector<Axis> axes;
  for (int d = 0; d < rank; ++d) axes.push_back(Axis::blocked(dims[d], parts[static_cast<std::size_t>(d)]));
  return {std::move(axes), ranks, GridOrder::row_major, StorageOrder::row_major};
}

LayoutCore make_irregular(int rank, const index_t* dims, const std::vector<index_t>* starts, int ranks) {
  std::vector<Axis> axes;
  index_t blocks = 1;
  for (int d = 0; d < rank; ++d) {
    const auto& here = starts[d];
    require(!here.empty() && here.front() == 0,
            formatted("block starts of dimension {} do not begin with 0", d));
    require(std::is_sorted(here.begin(), here.end()), formatted("block starts of dimension {} decrease", d));
    require(here.back() <= dims[d],
            formatted("block start {} of dimension {} exceeds its extent {}", here.back(), d, dims[d]));
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
    require(block[d] > 0, formatted("block extent {} of dimension {} is not positive", block[d], d));
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
    require(!here.empty() && here.front() == 0,
            formatted("tile starts of dimension {} do not begin with 0", d));
    require(std::adjacent_find(here.begin(), here.end(), std::greater_equal<>()) == here.end(),
            formatted("tile starts of dimension {} do not increase", d));
    require(here.back() == 0 || here.back() < dims[d],
            formatted("tile start {} of dimension {} reaches its extent {}", here.back(), d, dims[d]));
    axes.push_back(Axis::dealt(dims[d], here, static_cast<int>(grid[d])));
  }
  return LayoutCore(std::move(axes), ranks_or(ranks, processes), order, StorageOrder::row_major).with_tiles();
}

LayoutCore make_listed(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks) {
  int last = 0;
  for (const OwnedBox& block : blocks) last = std::max(last, block.rank);
  return {rank, dims, blocks, ranks_or(ranks, index_t{last} + 1)};
}

void require_grid(const LayoutCore& layout) {
  require(layout.is_product(), formatted("a layout of {} has no grid", layout.description()));
}

int rank_at(const LayoutCore& layout, const index_t* coordinates) {
  require_grid(layout);
  int parts[max_rank];
  for (int d = 0; d < layout.rank(); ++d) {
    const int count = layout.grid()->axis(d).parts();
    require(coordinates[d] >= 0 && coordinates[d] < count,
            formatted("coordinate {} of dimension {} is outside a grid of {}", coordinates[d], d, count));
    parts[d] = static_cast<int>(coordinates[d]);
  }
  return layout.grid()->rank_at(parts);
}

Piece block_at(const LayoutCore& layout, const index_t* position) {
  require_grid(layout);
  for (int d = 0; d < layout.rank(); ++d) {
    const index_t count = layout.grid()->axis(d).blocks();
    require(position[d] >= 0 && position[d] < count,
            formatted("there is no block {} in dimension {}, which has {}", position[d], d, count));
  }
  return layout.grid()->block_at(position);
}

}  // namespace tessera::detail
