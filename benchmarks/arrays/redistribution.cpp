// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Matrices copied from one layout to another, against ScaLAPACK's routine for it.
#include <algorithm>
#include <cmath>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>

#include "near_square.hpp"
#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "redistribution: matrices of double copied to another layout";

// The grid that is nearest to a square.
// A layout, and the same for ScaLAPACK: process grid and blocks.
struct Side {
  std::string name;
  Layout<2> layout;
  Extents<2> grid;
  scalapack_peer::Blocks blocks;
};

Side blocked(int ranks, index_t n, StorageOrder order) {
  const Extents<2> grid(ranks, 1);
  return {order == StorageOrder::row_major ? "row-major blocks" : "blocks",
          Layout<2>::blocked({n, n}, ranks, {.grid = grid}).with_storage(order),
          grid,
          {static_cast<int>(n) / ranks, static_cast<int>(n)}};
}

Side cyclic(int ranks, index_t n, int block) {
  const Extents<2> grid = near_square(ranks);
  return {"cyclic " + std::to_string(block),
          Layout<2>::block_cyclic({n, n}, {block, block}, {grid}, ranks),
          grid,
          {block, block}};
}

double value_at(index_t n, const Index<2>& at) { return static_cast<double>(at[0] * n + at[1]) + 0.25; }

// Whether Tessera's elements of this rank, column-major in memory, are right and equal to ScaLAPACK's.
bool same(Array<double, 2>& array, const scalapack_peer::Matrix& matrix, index_t n) {
  auto local = array.local();
  const View<double, 2> view = local.view();
  const std::vector<double>& theirs = matrix.local();
  bool right = view.size() == static_cast<index_t>(theirs.size());
  std::size_t i = 0;
  for (index_t column = 0; right && column < view.extent(1); ++column) {
    for (index_t row = 0; row < view.extent(0); ++row) right = right && view(row, column) == theirs[i++];
  }
  local.release();
  for_each_local(array, [&](const Index<2>& at, const double& x) { right = right && x == value_at(n, at); });
  return right;
}

void measure(Session& session, index_t n, const Side& source, const Side& target, std::optional<Target> goal) {
  const Group& world = session.world();
  Array<double, 2> from(world, source.layout, {.name = "from"}), to(world, target.layout, {.name = "to"});
  for_each_local(from, [&](const Index<2>& at, double& x) { x = value_at(n, at); });
  fill(to, -1.0);

  using scalapack_peer::Grid;
  using scalapack_peer::Matrix;
  const scalapack_peer::System system(world);
  const auto grid_of = [&](const Side& side) {
    return Grid(system, static_cast<int>(side.grid[0]), static_cast<int>(side.grid[1]));
  };
  const Grid from_grid = grid_of(source), to_grid = grid_of(target), all(system, world.size(), 1);
  const int extent = static_cast<int>(n);
  Matrix a(from_grid, extent, extent, source.blocks), b(to_grid, extent, extent, target.blocks);
  {
    const auto local = from.local();
    const View<double, 2> view = local.view();
    auto next = a.local().begin();
    for (index_t column = 0; column < view.extent(1); ++column) {
      for (index_t row = 0; row < view.extent(0); ++row) *next++ = view(row, column);
    }
  }
  const std::string name = "n = " + std::to_string(n) + ", " + source.name + " to " + target.name;
  copy(from, to);
  scalapack_peer::redistribute(a, b, all);
  require_everywhere(world, same(to, b, n), name);
  session.compare({.section = section,
                   .name = name,
                   .routine = repeat([&] { copy(from, to); }),
                   .bytes = static_cast<double>(n * n * element),
                   .clock = Clock::joint,
                   .others = waiting(world)},
                  {{"PDGEMR2D", repeat([&] { scalapack_peer::redistribute(a, b, all); }), goal}});
  to.close();
  from.close();
}

}  // namespace

void redistribution(Session& session, const Place&) {
  if (!session.wants(section)) return;
  if (!scalapack_peer::available()) return session.note(scalapack_peer::why_not());
  const int ranks = session.world().size();
  const Target twice{Goal::at_least, 2.0};
  std::vector<index_t> sizes{1000, 2000, 4000};
  if (session.is_quick()) sizes = {500};
  for (index_t n : sizes) {
    n -= n % ranks;  // even blocks, which ScaLAPACK can have as well
    const Side columns = blocked(ranks, n, StorageOrder::column_major);
    measure(session, n, columns, cyclic(ranks, n, 64), twice);
    measure(session, n, blocked(ranks, n, StorageOrder::row_major), cyclic(ranks, n, 64), {});
    measure(session, n, cyclic(ranks, n, 64), columns, twice);
    measure(session, n, cyclic(ranks, n, 64), cyclic(ranks, n, 48), twice);
  }
  session.note(
      "Redistribution: blocks are one for each rank, column-major unless said; cyclic is block-cyclic, with "
      "blocks of "
      "so many rows and columns. Row-major blocks have no counterpart in ScaLAPACK: PDGEMR2D is given "
      "column-major ones there, and "
      "transposes nothing.");
}

}  // namespace tessera::benchmark::arrays
