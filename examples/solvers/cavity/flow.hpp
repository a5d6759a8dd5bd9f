// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The flow in a cavity whose lid moves, on all ranks.
#pragma once

#include <tessera/halo.hpp>
#include <tessera/stencil.hpp>
#include <tessera/tessera.hpp>

#include "collision.hpp"
#include "run/watch.hpp"

namespace cavity {

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
  const solvers::Times& times() const noexcept { return times_; }

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
  tessera::BlockParts<dimensions> parts_;  // of this rank's block
  solvers::Times times_;
};

/// The width of a border along x: as many cells as processors compute at once, as fewer take as long.
inline constexpr index_t lanes = 8;

}  // namespace cavity
