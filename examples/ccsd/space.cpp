// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "space.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ccsd {

using namespace tessera;

Dimensions correlated_dimensions(index_t orbitals, int electrons, int frozen) {
  const index_t occupied = electrons / 2 - frozen, virtuals = orbitals - electrons / 2;
  if (occupied < 1 || virtuals < 1) {
    throw rhf::ScfError(fmt::format(
        "there is nothing to correlate: {} electron pairs, of which {} are frozen, and {} virtual orbitals",
        electrons / 2, frozen, std::max<index_t>(virtuals, 0)));
  }
  return {occupied, virtuals};
}

Space correlated_space(const rhf::Orbitals& orbitals, int electrons, int frozen) {
  const index_t functions = orbitals.coefficients.dims()[0], all = orbitals.coefficients.dims()[1];
  const auto [occupied, virtuals] = correlated_dimensions(all, electrons, frozen);
  Space space{occupied,
              virtuals,
              {orbitals.energies.begin() + frozen, orbitals.energies.end()},
              Matrix(orbitals.coefficients.group(), {functions, occupied + virtuals},
                     {.name = "orbitals that are correlated"})};
  copy(orbitals.coefficients.slice({{0, frozen}, {functions, all}}), space.coefficients);
  return space;
}

}  // namespace ccsd
