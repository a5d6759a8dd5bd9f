// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include "multigrid/multigrid.hpp"
#include "problem.hpp"

namespace flow {

enum class PressureMethod { automatic, multigrid, fourier };

/// Whether this program can solve for the pressure of periodic flows by Fourier transforms. @local
bool has_fourier() noexcept;

/// Solves -Laplace(p) = f for the pressure.
template <std::size_t N>
class PressureSolver {
 public:
  using Array = tessera::Array<double, N>;
  virtual ~PressureSolver() = default;

  /// Improves p until the largest |f + Laplace(p)| is at most `residual`. @collective @throws SolverError
  virtual void solve(const Array& f, Array& p, double residual) = 0;
  virtual std::string description() const = 0;
  /// The time of ghost cells so far, in seconds. @local
  virtual double ghost_seconds() const = 0;

  /// @collective @throws SolverError if the method does not fit
  static std::unique_ptr<PressureSolver> make(const tessera::Group& world, const tessera::Layout<N>& cells,
                                              const Problem<N>& problem, PressureMethod method);
};

}  // namespace flow
