// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "solver.hpp"

#include <cmath>

#include <fmt/format.h>
#include <tessera/linalg/linalg.hpp>

#include "times.hpp"

namespace ccsd {

using namespace tessera;

Solution solve(Equations& equations, Amplitudes& t, const SolverOptions& options, int begin,
               const std::function<bool(const Iteration&)>& goes_on) {
  Amplitudes change{t.t1.duplicate("change of singles"), t.t2.duplicate("change of doubles")};
  linalg::Diis<> diis({.max_iterations = options.diis});
  double last = equations.energy(t).total();
  for (int iteration = begin + 1; iteration <= options.max_iterations; ++iteration) {
    double seconds = 0, residual = 0;
    Equations::Energy energy{};
    {
      const rhf::Timer timer(seconds);
      equations.iterate(t, change);
      axpby(-1, t.t1, 1, change.t1);
      axpby(-1, t.t2, 1, change.t2);
      axpby(1, change.t1, 1, t.t1);
      axpby(1, change.t2, 1, t.t2);
      residual = diis.extrapolate({{t.t1, change.t1}, {t.t2, change.t2}});
      energy = equations.energy(t);
    }
    if (!std::isfinite(energy.total())) throw SolverError("the amplitudes diverge: the energy is not finite");
    const bool more = goes_on({iteration, energy.total(), energy.total() - last, residual, seconds});
    // The residual is of first order in the error, and the energy follows it.
    if (std::abs(energy.total() - last) < options.convergence && residual < 1e2 * options.convergence)
      return {energy, iteration, true};
    if (!more) return {energy, iteration, false};
    last = energy.total();
  }
  throw SolverError(
      fmt::format("no convergence of the amplitudes in {} iterations (try more with --max-iterations)",
                  options.max_iterations));
}

}  // namespace ccsd
