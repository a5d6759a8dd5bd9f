// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "one_electron.hpp"

#include <array>
#include <utility>

#include <libint2/engine.h>

namespace rhf {

using libint2::Engine;
using libint2::Operator;
using libint2::Shell;

OneElectronEngine::OneElectronEngine(Kind kind, const Basis& basis, const Molecule& molecule)
    : engine_(std::make_unique<Engine>(kind == Kind::overlap   ? Operator::overlap
                                       : kind == Kind::kinetic ? Operator::kinetic
                                                               : Operator::nuclear,
                                       basis.most_primitives(), basis.largest_momentum())) {
  if (kind != Kind::nuclear) return;
  std::vector<std::pair<double, std::array<double, 3>>> nuclei;
  for (const Atom& atom : molecule.atoms) nuclei.emplace_back(atom.charge, atom.position);
  engine_->set_params(nuclei);
}

OneElectronEngine::~OneElectronEngine() = default;

const double* OneElectronEngine::compute(const Shell& a, const Shell& b) { return engine_->compute1(a, b)[0]; }

}  // namespace rhf
