// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/halo.hpp>

#include "pressure.hpp"

namespace flow {

struct FlowOptions {
  PressureMethod pressure = PressureMethod::automatic;
  /// Of the divergence that remains, times the edge of a cell and over the speed.
  double tolerance = 1e-11;
};

/// The kinetic energy, and the rate at which friction takes it away, both per volume.
struct Energy {
  double kinetic, dissipation;
};

/// Times in seconds.
struct Times {
  double momentum = 0, pressure = 0, ghosts = 0;
};

/// Incompressible flow on a staggered grid: central differences, Runge-Kutta steps of third order with little
/// memory, and a projection in each stage. (Williamson, J. Comput. Phys. 35, 1980; Chorin, Math. Comput. 22,
/// 1968)
template <std::size_t N>
class Flow {
 public:
  using Array = tessera::Array<double, N>;

  /// The flow at its start. @collective @throws UsageError or SolverError for a grid that cannot be
  Flow(const tessera::Group& world, const Problem<N>& problem, const FlowOptions& options = {});

  /// @collective @throws SolverError if the pressure does not converge
  void step(double dt);

  const Problem<N>& problem() const noexcept { return problem_; }
  /// A component of the velocity, and the pressure: the whole state. @local
  Array& velocity(std::size_t d) { return *u_[d]; }
  Array& pressure() { return p_; }
  /// Begins new exchanges of ghost cells, after the state was changed from outside. @collective
  void update_ghosts();
  /// The access to all components with their ghost cells. @local
  std::array<tessera::LocalAccess<const double, N>, N> access() const;

  /// The largest time step that is stable now. @collective
  double stable_step() const;
  /// The largest divergence times the edge of a cell, over the speed. @collective
  double largest_divergence();
  /// For periodic flows, the dissipation is that of the discrete equations. @collective
  Energy energy();
  Times times() const;
  std::string pressure_description() const { return solver_->description(); }

 private:
  void advance(double keep, double dt, double factor);
  void project(double dt);
  double edge() const;

  Problem<N> problem_;
  FlowOptions options_;
  tessera::Layout<N> cells_;
  std::array<std::optional<Array>, N> u_, q_;  // velocity, and what the stages add up
  Array p_, f_;                                // pressure and right side
  std::optional<tessera::Halo> velocity_halo_, faces_halo_, pressure_halo_;
  std::unique_ptr<PressureSolver<N>> solver_;
  Times times_;
};

/// The velocity as the loops take it. @local
template <std::size_t N>
std::array<tessera::OffsetView<const double, N>, N> global_of(
    const std::array<tessera::LocalAccess<const double, N>, N>& access) {
  std::array<tessera::OffsetView<const double, N>, N> all;
  for (std::size_t d = 0; d < N; ++d) all[d] = access[d].global();
  return all;
}

}  // namespace flow
