// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/tessera.hpp>

#include "basis.hpp"

namespace rhf {

using Matrix = tessera::Array<double, 2>;

/// Fills the overlap matrix and the core Hamiltonian (kinetic energy and attraction by the nuclei). Each rank
/// computes some rows of shells and puts the blocks where they belong. @collective
void one_electron(const Basis& basis, const Molecule& molecule, Matrix& overlap, Matrix& core);

/// sqrt(max |(ab|ab)|) for all pairs of shells: the Schwarz bounds, the same on every rank. @collective
tessera::LocalArray<double, 2> schwarz_bounds(const tessera::Group& group, const Basis& basis);

}  // namespace rhf
