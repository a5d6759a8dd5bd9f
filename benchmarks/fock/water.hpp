// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "molecule.hpp"

namespace tessera::benchmark::fock {

/// So many water molecules on a helix of three each turn. Oxygen atoms of neighbours are 2.8 angstrom apart,
/// and each molecule has a hydrogen atom on the line to the next. @local
rhf::Molecule water_cluster(int molecules);

}  // namespace tessera::benchmark::fock
