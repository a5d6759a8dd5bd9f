// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <stdexcept>

#include "equations.hpp"

namespace ccsd {

struct SolverOptions {
  double convergence = 1e-8;  // of the energy, in hartree
  int max_iterations = 50;
  int diis = 8;  // iterations that are combined
};

struct Iteration {
  int number;
  double energy, change, residual, seconds;
};

/// The amplitudes do not converge; thrown on every rank.
struct SolverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Solution {
  Equations::Energy energy;
  int iterations;
  bool converged;  // else it was asked to stop
};

/// Iterates the amplitudes to convergence from those of iteration `begin`, with DIIS. After each iteration it
/// calls goes_on, and stops where this returns false. @collective @throws SolverError
Solution solve(Equations& equations, Amplitudes& t, const SolverOptions& options, int begin,
               const std::function<bool(const Iteration&)>& goes_on);

}  // namespace ccsd
