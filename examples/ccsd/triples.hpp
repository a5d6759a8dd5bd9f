// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "equations.hpp"
#include "progress.hpp"

namespace ccsd {

/// The energy of connected triple excitations, (T), for converged amplitudes of singles and doubles. A task is
/// three occupied orbitals i >= j >= k. It fetches what belongs to each of them, and to each pair; what the
/// next task needs, too, is kept. @collective
double triples_energy(const Space& space, const MoIntegrals& integrals, const Amplitudes& t,
                      const Scratch& scratch, Progress progress);

}  // namespace ccsd
