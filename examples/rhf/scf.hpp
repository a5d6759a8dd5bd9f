// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

#include "fock.hpp"

namespace rhf {

/// Seconds spent in the parts of a calculation.
struct Times {
  double one_electron = 0, fock = 0, linear_algebra = 0, files = 0;
};

/// Adds the time of its life to a counter.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Iteration {
  int number;
  double energy, change, error, seconds;
};

struct ScfOptions {
  double convergence = 1e-8;  // of the energy, in hartree
  double screening = 1e-12;
  int max_iterations = 50;
};

struct ScfResult {
  double energy;
  int iterations;
};

/// The calculation gives no energy; thrown on every rank.
struct ScfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Restricted Hartree-Fock: iterates to self-consistency from a density D = C_occ C_occ^T, or from the core
/// Hamiltonian if `have_density` is false. `density` is the last one on return. @collective
/// @throws ScfError
ScfResult run_scf(const Basis& basis, const Molecule& molecule, int electrons, const ScfOptions& options,
                  Matrix& density, bool have_density, Times& times,
                  const std::function<void(const Iteration&)>& report);

}  // namespace rhf
