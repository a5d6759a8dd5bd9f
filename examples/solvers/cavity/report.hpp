// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The numbers that a run ends with.
#pragma once

#include "flow.hpp"
#include "options.hpp"

namespace cavity {

/// Prints velocities beside published ones, the symmetry of the span and the mass, and writes the picture that
/// is asked for. @collective
template <class Lattice>
void report(const Flow<Lattice>& flow, const Options& options);

}  // namespace cavity
