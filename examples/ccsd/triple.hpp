// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <vector>

#include "space.hpp"

namespace ccsd {

/// The triple excitations from three occupied orbitals (A. P. Rendell, T. J. Lee, A. Komornicki, Chem. Phys.
/// Lett. 178, 462 (1991)), on one process.
class Triple {
 public:
  /// Factors of products, row-major. m is the number of all orbitals, v that of virtual ones.
  struct Factors {
    /// Of each orbital x: (xa|bd) in the first v columns, and -t(x, l, a, b) in the others; v x v x m.
    std::array<const double*, 3> one{};
    /// Of each two orbitals x and y: t(x, y, d, c) in the first v rows, (xl|yc) up to row m, then (xb|yc);
    /// (m + v) x v.
    std::array<std::array<const double*, 3>, 3> two{};
  };

  /// Refers to the space and to the amplitudes of singles.
  Triple(const Space& space, const tessera::View<const double, 2>& singles);

  /// The energy of these orbitals, i >= j >= k, in all orders.
  double energy(const std::array<index_t, 3>& orbitals, const Factors& factors);

 private:
  void add_products(const Factors& factors);
  double sum(const std::array<index_t, 3>& orbitals, const Factors& factors) const;

  const Space& space_;
  tessera::View<const double, 2> singles_;
  index_t virtuals_;
  std::vector<double> w_;  // w(a, b, c), row-major
};

}  // namespace ccsd
