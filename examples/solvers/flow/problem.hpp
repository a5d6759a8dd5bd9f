// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>

#include "multigrid/domain.hpp"

namespace flow {

using tessera::index_t;

/// What is at an end of a dimension: a wall, fluid of a given velocity that comes in, or an opening where the
/// pressure is 0.
enum class EndKind : std::uint8_t { wall, inflow, outflow };

template <std::size_t N>
struct End {
  EndKind kind = EndKind::wall;
  std::array<double, N> velocity = {};  ///< of the wall along itself, or of the fluid that comes in
};

/// A flow in a box. Component d of the velocity is along dimension d; the last dimension is x.
template <std::size_t N>
struct Problem {
  using Point = std::array<double, N>;

  tessera::Extents<N> cells;
  std::array<double, N> spacing;
  std::array<bool, N> periodic = {};
  std::array<std::array<End<N>, 2>, N> ends = {};  ///< low and high
  double viscosity = 1;
  double speed = 1;  ///< the largest of each component, at the start and at the ends
  std::function<double(std::size_t, const Point&)> initial;  ///< a component at a point

  bool is_periodic() const noexcept {
    bool all = true;
    for (const bool one : periodic) all = all && one;
    return all;
  }
  bool is_open(std::size_t d, std::size_t side) const noexcept {
    return !periodic[d] && ends[d][side].kind == EndKind::outflow;
  }
  /// The number of faces across each dimension d. @local
  tessera::Extents<N> faces(std::size_t d) const {
    tessera::Extents<N> dims = cells;
    if (!periodic[d]) ++dims[d];
    return dims;
  }
  /// The faces across dimension d whose velocity the fluid determines. @local
  tessera::Patch<N> free_faces(std::size_t d) const {
    tessera::Patch<N> patch = tessera::Patch<N>::at({}, cells);
    if (periodic[d]) return patch;
    if (!is_open(d, 0)) ++patch.lo[d];
    if (is_open(d, 1)) ++patch.hi[d];
    return patch;
  }
  /// The middle of a face across dimension d. @local
  Point face(std::size_t d, const tessera::Index<N>& at) const {
    Point point;
    for (std::size_t e = 0; e < N; ++e)
      point[e] = (static_cast<double>(at[e]) + (e == d ? 0 : 0.5)) * spacing[e];
    return point;
  }
  /// Where the pressure is solved for: closed ends are Neumann's, openings are Dirichlet's. @local
  solvers::Domain<N> pressure_domain() const {
    solvers::Domain<N> domain{spacing, periodic, {}};
    for (std::size_t d = 0; d < N; ++d) {
      for (std::size_t side = 0; side < 2; ++side)
        domain.ends[d][side] = is_open(d, side) ? solvers::Condition::dirichlet : solvers::Condition::neumann;
    }
    return domain;
  }
  /// What the ghost cells of component d get. @local
  tessera::Boundaries<double, N> boundaries(std::size_t d) const {
    using Boundary = tessera::Boundary<double, N>;
    tessera::Boundaries<double, N> all;
    for (std::size_t e = 0; e < N; ++e) {
      for (const auto side : {tessera::Side::low, tessera::Side::high}) {
        const End<N>& end = ends[e][side == tessera::Side::high ? 1 : 0];
        const bool is_tangential = e != d && end.kind != EndKind::outflow;
        if (periodic[e]) continue;
        all.set(
            static_cast<int>(e), side,
            is_tangential ? Boundary::odd(tessera::Mirror::at_face, end.velocity[d]) : Boundary::gradient());
      }
    }
    return all;
  }
};

/// The largest stable time step of the Runge-Kutta method (Williamson 1980) for central differences, if the
/// components of the velocity are at most `speeds`. @local
template <std::size_t N>
double stable_step(const Problem<N>& problem, const std::array<double, N>& speeds) {
  double rate = 0;
  for (std::size_t d = 0; d < N; ++d) {
    rate += speeds[d] / problem.spacing[d] / 1.73;                                     // on the imaginary axis
    rate += 4 * problem.viscosity / (problem.spacing[d] * problem.spacing[d]) / 2.51;  // on the real axis
  }
  return 1 / rate;
}

}  // namespace flow
