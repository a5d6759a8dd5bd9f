// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "progress.hpp"
#include "stored.hpp"

namespace ccsd {

/// Repulsion integrals of molecular orbitals, (pq|rs) as chemists write them: by whether an orbital is occupied
/// (o) or virtual (v). The ranks share the first virtual dimension, of (ov|vv) the second one, of (oo|oo) the
/// first one. So most terms of the equations move amplitudes only.
struct MoIntegrals {
  Tensor oooo;  ///< (ij|kl)
  Tensor ooov;  ///< (ij|ka)
  Tensor oovv;  ///< (ij|ab)
  Tensor ovov;  ///< (ia|jb)
  Stored ovvv;  ///< (ia|bc)
  Stored vvvv;  ///< (ac|bd), stored as a, b, c, d: the order in which it is contracted
};

/// How integrals are computed.
struct TransformOptions {
  double screening;
  const Scratch& scratch;
  /// If tensors are in files, parts of so many bytes of all ranks together are in memory.
  double part_bytes;
};

/// Computes the integrals of atomic functions and transforms them. The ranks draw pairs of blocks of shells,
/// and transform two indices of their integrals; contractions transform the others. @collective
MoIntegrals transform(const rhf::Basis& basis, const Space& space, const TransformOptions& options,
                      Progress progress);
/// The integrals (ia|jb) alone, which second-order perturbation theory needs. @collective
Tensor transform_ovov(const rhf::Basis& basis, const Space& space, const TransformOptions& options,
                      Progress progress);

}  // namespace ccsd
