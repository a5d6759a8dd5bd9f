// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/sparse.hpp>

namespace tessera::benchmark::sparse {

/// The stiffness matrix of an elastic beam of linear tetrahedra, clamped at one end: symmetric and positive
/// definite. The beam is a box of nodes that are moved irregularly, but always in the same way. Each node has
/// three unknowns. `order` is the number of unknowns: the beam is long enough for them, and those that are too
/// many at its end are held. Returns the stiffness of part `part` of `parts` of the beam. @local
std::vector<Triplet<double>> beam(index_t order, int part, int parts);

}  // namespace tessera::benchmark::sparse
