// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// One time step on the cells of one block, whatever exchanges the ghost cells.
#pragma once

#include <tessera/offset_view.hpp>

#include "lattice.hpp"

namespace cavity {

using tessera::index_t;

/// The populations of a block and its ghost cells after collision: (population, z, y, x) or (population, y, x).
/// Each is less its weight, so that the sum over a cell is the density less 1.
template <class T, class Lattice>
using Cells = tessera::OffsetView<T, Lattice::dimensions + 1>;
template <class Lattice>
using Region = tessera::Patch<Lattice::dimensions>;
template <class Lattice>
using Sizes = tessera::Extents<Lattice::dimensions>;

/// Two relaxation rates: of the even parts of populations, for the viscosity, and of the odd parts. Walls lie
/// half-way between cells for any viscosity (Ginzburg, Verhaeghe and d'Humieres 2008).
struct Relaxation {
  double even, odd;

  static Relaxation of_viscosity(double viscosity) noexcept {
    constexpr double magic = 3 / 16.0;
    return {1 / (3 * viscosity + 0.5), 1 / (magic / (3 * viscosity) + 0.5)};
  }
};

/// Brings populations from the neighbours of each cell, and lets them collide. The equilibrium is that of an
/// incompressible fluid (He and Luo 1997). @local
template <class Lattice>
void advance(const Cells<const double, Lattice>& from, const Cells<double, Lattice>& to,
             const Region<Lattice>& cells, const Relaxation& relaxation);

/// What is beyond the ends of the grid: walls, of which the one at the end of y moves along x, or the other end
/// of the span.
struct Walls {
  double lid;             ///< velocity
  bool is_span_periodic;  ///< ends of z are no walls
};

/// Puts into ghost cells beyond walls what comes back from there: populations turn round half-way. @local
template <class Lattice>
void reflect(const Cells<double, Lattice>& populations, const Region<Lattice>& block,
             const Sizes<Lattice>& grid, const Walls& walls);

/// Calls f(at, density less 1, velocity) for each cell of a patch. Velocities are in the order of dimensions.
/// @local
template <class Lattice, class F>
void for_each_state(const Cells<const double, Lattice>& populations, const Region<Lattice>& cells, F&& f) {
  tessera::for_each_point(cells, [&](auto... at) {
    double density = populations(0, at...);
    std::array<double, Lattice::dimensions> u{};
    for (std::size_t q = 1; q < Lattice::populations; q += 2) {
      const double a = populations(q, at...), b = populations(q + 1, at...);
      density += a + b;
      for (std::size_t d = 0; d < u.size(); ++d) u[d] += velocity<Lattice>(q)[d] * (a - b);
    }
    f(tessera::Index<Lattice::dimensions>(at...), density, u);
  });
}

}  // namespace cavity
