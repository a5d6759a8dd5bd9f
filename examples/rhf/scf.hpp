// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fock.hpp"

namespace rhf {

struct Iteration {
  int number;
  double energy, change, error, seconds;
  std::size_t operations;  // of the symmetry that was used: 1 if there was none
};

struct ScfOptions {
  double convergence = 1e-8;  // of the energy, in hartree
  double screening = 1e-11;
  int max_iterations = 50;
  const char* limit_option = "--max-iterations";  // the option of the program that sets it, for messages
};

struct ScfResult {
  double energy;
  int iterations;
};

/// The calculation gives no energy; thrown on every rank.
struct ScfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Restricted Hartree-Fock: iterates to self-consistency from a density D = C_occ C_occ^T, or from that of free
/// atoms if `have_density` is false. `density` is the last one on return. From the first density on that lacks
/// the molecule's symmetry, none is used. @collective
/// @throws ScfError
ScfResult run_scf(const Basis& basis, const Molecule& molecule, int electrons, const ScfOptions& options,
                  Matrix& density, bool have_density, Times& times,
                  const std::function<void(const Iteration&)>& report);

/// Molecular orbitals: their coefficients as columns, and their energies in ascending order, on every rank.
struct Orbitals {
  Matrix coefficients;
  std::vector<double> energies;
};

/// How many linearly independent functions a basis has. @collective
tessera::index_t independent_functions(const tessera::Group& group, const Basis& basis,
                                       const Molecule& molecule);

/// The eigenvectors of the Fock matrix of a converged density: as many as functions are independent.
/// @collective
Orbitals canonical_orbitals(const Basis& basis, const Molecule& molecule, double screening,
                            const Matrix& density);

}  // namespace rhf
