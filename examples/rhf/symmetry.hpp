// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "molecule.hpp"

namespace rhf {

/// Finds the operations that permute the atoms of a molecule, one for each permutation, the identity first.
/// Atoms may be 1e-5 bohr from their places, as files have few digits. Then moves the atoms so that the
/// operations are exact, and keeps these in the molecule. Returns the largest distance by which an atom moves,
/// in bohr.
double make_symmetric(Molecule& molecule);

}  // namespace rhf
