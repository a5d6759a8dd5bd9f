// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The flow in a cavity whose lid moves, on all ranks.
#pragma once

#include <vector>

#include <tessera/halo.hpp>
#include <tessera/tessera.hpp>

#include "collision.hpp"

namespace cavity {

/// The seconds that this rank spent.
struct Times {
  double computing = 0, ghost_cells = 0;
};

/// Lengths are in cells, times in steps, densities relative to that of the fluid at rest.
template <class Lattice>
struct FlowOptions {
  Sizes<Lattice> grid;
  double viscosity;
  Walls walls;
};

/// A fluid that is at rest at first. Populations are in two arrays, which each step exchanges.
template <class Lattice>
class Flow {
 public:
  static constexpr std::size_t dimensions = Lattice::dimensions;
  using Field = tessera::Array<double, dimensions>;

  /// @collective
  Flow(const tessera::Group& world, const FlowOptions<Lattice>& options);

  /// The populations after the last step: what a checkpoint needs. Call restored() after they were restored.
  tessera::Array<double, dimensions + 1>& populations() noexcept { return now_.cells; }
  /// Fills the ghost cells beyond walls again. @local
  void restored() { reflect_at_walls(now_); }
  /// A time step. @collective
  void step();
  /// The total mass less the number of cells, without rounding. @collective
  double excess_mass() const { return tessera::exact_sum(now_.cells); }
  /// The largest change of a velocity in the last step. @collective
  double change() const;
  /// Component d of the velocity. @collective
  void get_velocity(std::size_t d, Field& into) const;
  Field make_field(std::string_view name) const;
  const tessera::Group& world() const noexcept { return now_.cells.group(); }
  const Times& times() const noexcept { return times_; }

 private:
  struct Populations {
    tessera::Array<double, dimensions + 1> cells;
    tessera::Halo halo;
  };
  Populations make_populations(const tessera::Group& world, std::string_view name) const;
  Region<Lattice> block() const;
  void split_block();
  void reflect_at_walls(Populations& populations) const;

  FlowOptions<Lattice> options_;
  Relaxation relaxation_;
  Populations now_, next_;
  Region<Lattice> interior_;             // cells that need no other rank's populations
  std::vector<Region<Lattice>> border_;  // the others of this rank's block
  Times times_;
};

/// The width of a border along x: as many cells as processors compute at once, as fewer take as long.
inline constexpr index_t lanes = 8;

/// The part of a block that needs no ghost cells of the given widths, and the rest in slabs.
template <class Lattice>
struct Parts {
  Region<Lattice> interior;
  std::vector<Region<Lattice>> border;
};
template <class Lattice>
Parts<Lattice> parts_of(const Region<Lattice>& block, const Sizes<Lattice>& low, const Sizes<Lattice>& high) {
  Parts<Lattice> parts{block, {}};
  Region<Lattice>& inside = parts.interior;
  for (std::size_t d = 0; d < Lattice::dimensions; ++d) {
    Region<Lattice> below = inside, above = inside;
    inside.lo[d] = below.hi[d] = std::min(block.hi[d], block.lo[d] + low[d]);
    inside.hi[d] = above.lo[d] = std::max(inside.lo[d], block.hi[d] - high[d]);
    for (const auto& slab : {below, above})
      if (!slab.empty()) parts.border.push_back(slab);
  }
  return parts;
}

}  // namespace cavity
