// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace rhf {

/// The functions of two shells in the density and in the Fock matrix, which are stored alike: the first element
/// of each block, and the distances of neighbours in it.
struct Blocks {
  const double* density;
  double* fock;
  tessera::index_t row, column;

  /// The same with rows as columns.
  Blocks turned() const { return {density, fock, column, row}; }
};

/// The blocks of each two shells of a quartet (pq|rs).
struct QuartetBlocks {
  Blocks pq, rs, pr, ps, qr, qs;
};

/// The numbers of functions of the four shells.
struct Shape {
  int p, q, r, s;
};

/// Adds the contributions of a quartet's integrals, times a weight, to the two-electron part of the Fock
/// matrix: Coulomb blocks pq and rs, exchange blocks pr, ps, qr and qs. Only one block of each two that are
/// each other's transpose gets them.
using Digest = void (*)(const double* integrals, double weight, const Shape& shape,
                        const QuartetBlocks& blocks);

/// The function for shells r and s of these sizes: its inner loops have a fixed length if they are usual ones.
Digest digest_of(int r, int s);

}  // namespace rhf
