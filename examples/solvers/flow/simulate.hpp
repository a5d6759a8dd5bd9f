// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "cases.hpp"
#include "run/run.hpp"

namespace flow {

struct ProgramOptions {
  CaseOptions flow;
  FlowOptions solver;
  solvers::RunOptions run;
  int dimensions = 2;
  double time = 1;    ///< of the end
  index_t steps = 0;  ///< so many steps instead, if positive
  double dt = 0;      ///< the largest time step; chosen if 0
  bool by_grids = false;
  std::string picture;
};

/// Simulates one flow on one grid, and reports. Returns the error of two-dimensional Taylor-Green vortices,
/// and nothing if the job was told to end. @collective @throws SolverError
template <std::size_t N>
std::optional<double> simulate(const tessera::Group& world, const ProgramOptions& options);

}  // namespace flow
