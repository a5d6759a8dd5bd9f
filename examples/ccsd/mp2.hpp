// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "space.hpp"

namespace ccsd {

/// The energy of second-order perturbation theory, by the spins of the two electrons.
struct Mp2Energy {
  double same_spin, opposite_spin;
  double total() const { return same_spin + opposite_spin; }
};

/// From the integrals (ia|jb). @collective
Mp2Energy mp2_energy(const Space& space, const Tensor& ovov);

}  // namespace ccsd
