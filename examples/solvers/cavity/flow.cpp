// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "flow.hpp"

#include <cmath>

namespace cavity {
namespace {

using tessera::Extents;
using tessera::Reduce;

// The cells, without populations.
template <class Lattice>
auto cell_layout(const Sizes<Lattice>& grid, int ranks) {
  return tessera::Layout<Lattice::dimensions>::blocked(grid, ranks);
}

// Each population crosses only those sides from which it moves inwards.
template <class Lattice>
std::vector<tessera::HaloPart> halo_parts(tessera::Array<double, Lattice::dimensions + 1>& cells) {
  constexpr std::size_t dimensions = Lattice::dimensions;
  std::vector<tessera::HaloPart> parts;
  auto one = tessera::Patch<dimensions + 1>::whole(cells.dims());
  for (std::size_t q = 1; q < Lattice::populations; ++q) {
    one.lo[0] = static_cast<index_t>(q);
    one.hi[0] = one.lo[0] + 1;
    tessera::PerDimension<index_t, dimensions + 1> low{}, high{};
    for (std::size_t d = 0; d < dimensions; ++d) {
      low[d + 1] = velocity<Lattice>(q)[d] == 1 ? 1 : 0;
      high[d + 1] = velocity<Lattice>(q)[d] == -1 ? 1 : 0;
    }
    parts.push_back(tessera::halo_of(cells.slice(one), {.low = low, .high = high}));
  }
  return parts;
}

}  // namespace

template <class Lattice>
Flow<Lattice>::Flow(const tessera::Group& world, const FlowOptions<Lattice>& options)
    : options_(options),
      relaxation_(Relaxation::of_viscosity(options.viscosity)),
      now_(make_populations(world, "populations")),
      next_(make_populations(world, "next populations")) {
  split_block();
  fill(now_.cells, 0.0);
  fill(next_.cells, 0.0);
  reflect_at_walls(now_);
}

template <class Lattice>
typename Flow<Lattice>::Populations Flow<Lattice>::make_populations(const tessera::Group& world,
                                                                    std::string_view name) const {
  Extents<dimensions + 1> dims, grid;
  tessera::PerDimension<index_t, dimensions + 1> ghosts{};
  tessera::PerDimension<bool, dimensions + 1> periodic{};
  const Extents<dimensions> processes = cell_layout<Lattice>(options_.grid, world.size()).grid();
  dims[0] = static_cast<index_t>(Lattice::populations);
  grid[0] = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    dims[d + 1] = options_.grid[d];
    grid[d + 1] = processes[d];
    ghosts[d + 1] = 1;
  }
  periodic[1] = dimensions == 3 && options_.walls.is_span_periodic;
  const auto layout = tessera::Layout<dimensions + 1>::blocked(dims, world.size(), {.grid = grid});
  tessera::Array<double, dimensions + 1> cells(world, layout,
                                               {.name = name, .ghosts = ghosts, .periodic = periodic});
  const auto parts = halo_parts<Lattice>(cells);
  return {std::move(cells), tessera::Halo(parts, name)};
}

template <class Lattice>
Region<Lattice> Flow<Lattice>::block() const {
  const auto own = now_.cells.local_patch();
  Region<Lattice> cells;
  for (std::size_t d = 0; d < dimensions; ++d) cells.lo[d] = own.lo[d + 1], cells.hi[d] = own.hi[d + 1];
  return cells;
}

template <class Lattice>
void Flow<Lattice>::split_block() {
  const Region<Lattice> own = block();
  Extents<dimensions> low, high;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const index_t width = d + 1 == dimensions ? lanes : 1;
    const bool is_periodic = dimensions == 3 && d == 0 && options_.walls.is_span_periodic;
    low[d] = is_periodic || own.lo[d] > 0 ? width : 0;
    high[d] = is_periodic || own.hi[d] < options_.grid[d] ? width : 0;
  }
  parts_ = tessera::split_block(own, low, high);
}

template <class Lattice>
void Flow<Lattice>::reflect_at_walls(Populations& populations) const {
  if (block().empty()) return;
  const auto access = populations.cells.local_with_ghosts();
  reflect<Lattice>(access.global(), block(), options_.grid, options_.walls);
}

template <class Lattice>
void Flow<Lattice>::step() {
  solvers::Watch watch;
  auto update = now_.halo.update_async();
  watch.add_to(times_.ghost_cells);
  {
    const auto from_access = std::as_const(now_.cells).local_with_ghosts();
    const auto to_access = next_.cells.local_with_ghosts();
    const auto from = from_access.global();
    const auto to = to_access.global();
    advance<Lattice>(from, to, parts_.interior, relaxation_);
    watch.add_to(times_.computing);
    update.wait();
    watch.add_to(times_.ghost_cells);
    for (const auto& slab : parts_.boundary) advance<Lattice>(from, to, slab, relaxation_);
    if (!block().empty()) reflect<Lattice>(to, block(), options_.grid, options_.walls);
  }
  std::swap(now_, next_);
  watch.add_to(times_.computing);
}

template <class Lattice>
double Flow<Lattice>::change() const {
  double largest = 0;
  {
    const auto access = now_.cells.local_with_ghosts(), before_access = next_.cells.local_with_ghosts();
    const auto before = before_access.global();
    for_each_state<Lattice>(access.global(), block(), [&](const auto& at, double, const auto& u) {
      Region<Lattice> cell{at, at};
      for (std::size_t d = 0; d < dimensions; ++d) ++cell.hi[d];
      for_each_state<Lattice>(before, cell, [&](const auto&, double, const auto& u_before) {
        for (std::size_t d = 0; d < dimensions; ++d) largest = std::max(largest, std::abs(u[d] - u_before[d]));
      });
    });
  }
  return world().all_reduce(largest, Reduce::max);
}

template <class Lattice>
typename Flow<Lattice>::Field Flow<Lattice>::make_field(std::string_view name) const {
  return Field(world(), cell_layout<Lattice>(options_.grid, world().size()), {.name = name});
}

template <class Lattice>
void Flow<Lattice>::get_velocity(std::size_t d, Field& into) const {
  {
    const auto access = now_.cells.local_with_ghosts();
    const auto into_access = into.local();
    const auto value = into_access.global();
    for_each_state<Lattice>(access.global(), block(),
                            [&](const auto& at, double, const auto& u) { value[at] = u[d]; });
  }
  into.sync();
}

template class Flow<D2Q9>;
template class Flow<D3Q19>;

}  // namespace cavity
