// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "mo_integrals.hpp"

namespace ccsd {

/// The amplitudes of single and double excitations of a closed shell: t1(i, a) and t2(i, j, a, b), where
/// t2(i, j, a, b) = t2(j, i, b, a).
struct Amplitudes {
  Matrix t1;
  Tensor t2;
};
/// Amplitudes of zero. @collective
Amplitudes make_amplitudes(const tessera::Group& world, index_t occupied, index_t virtuals);

/// The equations of spin-adapted coupled cluster with single and double excitations, for canonical orbitals (S.
/// Hirata, R. Podeszwa, M. Tobita, R. J. Bartlett, J. Chem. Phys. 120, 2581 (2004)). Its intermediate tensors
/// live as long as it.
class Equations {
  using PairTensor = tessera::Array<double, 3>;
  using PairOfTensors = tessera::Array<double, 5>;

 public:
  /// Refers to both. @collective
  Equations(const Space& space, const MoIntegrals& integrals);

  /// The first amplitudes: those of second-order perturbation theory. @collective
  void guess(Amplitudes& t) const;
  /// A correlation energy.
  struct Energy {
    double singles, doubles;
    double total() const { return singles + doubles; }
  };
  /// The correlation energy of amplitudes. @collective
  Energy energy(const Amplitudes& t) const;
  /// The amplitudes to which an iteration leads. @collective
  void iterate(const Amplitudes& t, Amplitudes& next);

 private:
  void dress(const Amplitudes& t);
  void singles(const Amplitudes& t, Matrix& r);
  void doubles(const Amplitudes& t, Tensor& r);
  void add_ladder(const tessera::Slice<double, 4>& half);

  const Space& space_;
  const MoIntegrals& g_;
  Tensor u_;                   // 2 (ia|jb) - (ib|ja)
  Tensor tau_, x_;             // of amplitudes, in pairs
  Matrix f_oo_, f_ov_, f_vv_;  // dressed Fock matrices, without orbital energies
  Matrix l_oo_, l_vv_;         // the same with more singles
  Tensor w_oooo_;              // dressed integrals
  PairOfTensors w_;            // the same of (ia|kc) and (ik|ac), which are contracted together
  Tensor m_;                   // what singles in the last virtual orbital are multiplied with
  PairOfTensors y_;  // combinations of amplitudes; the first is also the doubles before pairs are exchanged
  PairTensor tau_pairs_, r_pairs_;  // tau and residual, for pairs i >= j of occupied orbitals
};

}  // namespace ccsd
