// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A gas in a rectangle, on all ranks: finite volumes of second order in space and time.
#pragma once

#include <array>

#include <tessera/halo.hpp>
#include <tessera/stencil.hpp>
#include <tessera/tessera.hpp>

#include "cases.hpp"
#include "run/watch.hpp"
#include "sweep.hpp"

namespace euler {

/// The members of a state, with their names.
struct Member {
  const char* name;
  double State::*which;
};
inline constexpr std::array<Member, 4> members{{{"density", &State::density},
                                                {"momentum along x", &State::momentum_x},
                                                {"momentum along y", &State::momentum_y},
                                                {"energy", &State::energy}}};

/// Total mass, momenta and energy, in the order of `members`.
using Totals = std::array<double, members.size()>;

class Gas {
 public:
  /// The case at time 0, on so many columns of square cells. @collective
  Gas(const tessera::Group& world, const Case& which, index_t columns);

  tessera::Array<State, 2>& states() noexcept { return now_.states; }
  double cell_size() const noexcept { return size_; }
  /// The longest stable time step times the Courant number, which is at most `greatest_courant`. @collective
  /// @throws SolverError for a density or a pressure that is not positive
  double time_step(double courant, index_t step);
  static constexpr double greatest_courant = 0.5;
  /// A time step of the Runge-Kutta method of Heun (Shu and Osher 1988). @collective
  void step(double dt);

  /// Without rounding before the end. @collective
  Totals totals();
  /// The mean difference of the density from the case's solution. @collective
  double error(double time);
  /// The pressure of each cell. @collective
  tessera::Array<double, 2> pressure() const;
  /// The largest difference of the density from that of the cell on the other side of the middle along x.
  /// @collective
  double asymmetry();
  const tessera::Group& world() const noexcept { return now_.states.group(); }
  const solvers::Times& times() const noexcept { return times_; }

 private:
  struct Generation {
    tessera::Array<State, 2> states;
    tessera::Halo halo;
  };
  Generation make_generation(const tessera::Group& world, const char* name) const;
  Primitive solution(const tessera::Index<2>& cell, double time) const;
  void advance(Generation& from, Generation& to, const Stage& stage);
  [[noreturn]] void refuse_state(index_t step);

  Case case_;
  double size_;
  tessera::Layout<2> layout_;
  Generation now_, next_;
  tessera::BlockParts<2> parts_;
  solvers::Times times_;
};

}  // namespace euler
