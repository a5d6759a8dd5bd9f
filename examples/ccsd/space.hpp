// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/tessera.hpp>

#include "scf.hpp"

namespace ccsd {

using tessera::index_t;
using Tensor = tessera::Array<double, 4>;
using Matrix = tessera::Array<double, 2>;

/// The orbitals that electrons are correlated in: first those that are occupied, then the virtual ones.
/// Orbitals of a frozen core are left out.
struct Space {
  index_t occupied, virtuals;
  std::vector<double> energies;
  Matrix coefficients;  // a column for each orbital

  index_t size() const { return occupied + virtuals; }
  std::span<const double> occupied_energies() const {
    return std::span(energies).first(static_cast<std::size_t>(occupied));
  }
  std::span<const double> virtual_energies() const {
    return std::span(energies).subspan(static_cast<std::size_t>(occupied));
  }
};

/// How many orbitals of each kind there are.
struct Dimensions {
  index_t occupied, virtuals;
};

/// Of so many orbitals those that electrons are correlated in. @local
/// @throws rhf::ScfError if no electron or no virtual orbital is left
Dimensions correlated_dimensions(index_t orbitals, int electrons, int frozen);

/// The space of a molecule with so many electrons. @collective
Space correlated_space(const rhf::Orbitals& orbitals, int electrons, int frozen);

/// The layout in which ranks share one dimension of a tensor.
template <std::size_t N>
tessera::Layout<N> along(std::size_t dimension, const tessera::Extents<N>& extents, int ranks) {
  tessera::Extents<N> grid;
  for (std::size_t d = 0; d < N; ++d) grid[d] = d == dimension ? ranks : 1;
  return tessera::Layout<N>::blocked(extents, ranks, {.grid = grid});
}

}  // namespace ccsd
