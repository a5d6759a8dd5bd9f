// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/tessera.hpp>

#include "shell_pairs.hpp"

namespace ccsd {

using tessera::index_t;

/// Repulsion integrals (pq|rs) of atomic functions, where p and q are any, and r and s belong to some shells.
class AoIntegrals {
 public:
  /// Integrals below `screening` may be left out. `bounds` are the Schwarz bounds of all pairs of shells.
  AoIntegrals(const rhf::Basis& basis, tessera::LocalArray<double, 2> bounds, double screening);

  /// Consecutive shells, whose functions are about so many.
  std::vector<rhf::ShellRange> blocks(index_t functions) const;
  /// Sets into(r, s, p, q) for r of `rows` and s of `columns`, which are the same shells or earlier ones.
  void compute(const rhf::ShellRange& rows, const rhf::ShellRange& columns,
               const tessera::View<double, 4>& into);

 private:
  using Pairs = std::span<const rhf::ShellPair* const>;
  void compute(Pairs bras, Pairs kets, const rhf::ShellRange& rows, const rhf::ShellRange& columns,
               const tessera::View<double, 4>& into);

  const rhf::Basis& basis_;
  tessera::LocalArray<double, 2> bounds_;
  double screening_, largest_bound_;
  rhf::RepulsionEngine engine_;
  rhf::ShellPairs bra_, ket_;
};

}  // namespace ccsd
