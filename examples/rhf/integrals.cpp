// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "integrals.hpp"

#include <cmath>

#include <libint2/engine.h>

namespace rhf {

using namespace tessera;
using libint2::Engine;
using libint2::Operator;

int largest_momentum(const Basis& basis) {
  int most = 0;
  for (const auto& shell : basis.shells) most = std::max(most, shell.contr[0].l);
  return most;
}

std::size_t max_primitives(const Basis& basis) {
  std::size_t most = 0;
  for (const auto& shell : basis.shells) most = std::max(most, shell.nprim());
  return most;
}

void one_electron(const Basis& basis, const Molecule& molecule, Matrix& overlap, Matrix& core) {
  const auto primitives = max_primitives(basis);
  const int momentum = largest_momentum(basis);
  Engine s(Operator::overlap, primitives, momentum), t(Operator::kinetic, primitives, momentum),
      v(Operator::nuclear, primitives, momentum);
  std::vector<std::pair<double, std::array<double, 3>>> nuclei;
  for (const Atom& atom : molecule.atoms) nuclei.emplace_back(atom.charge, atom.position);
  v.set_params(nuclei);

  const auto shells = basis.shells.size();
  const auto ranks = static_cast<std::size_t>(overlap.group().size());
  for (auto i = static_cast<std::size_t>(overlap.group().rank()); i < shells; i += ranks) {
    for (std::size_t j = 0; j < shells; ++j) {
      const auto &a = basis.shells[i], &b = basis.shells[j];
      const auto patch = Patch<2>{{basis.first[i], basis.first[j]}, {basis.first[i + 1], basis.first[j + 1]}};
      s.compute(a, b), t.compute(a, b), v.compute(a, b);
      const View<const double, 2> block(s.results()[0], patch.extents());
      overlap.put(patch, block);
      LocalArray<double, 2> sum(patch.extents());
      for (std::size_t k = 0; k < a.size() * b.size(); ++k)
        sum.data()[k] = t.results()[0][k] + v.results()[0][k];
      core.put(patch, sum);
    }
  }
  overlap.sync();
  core.sync();
}

LocalArray<double, 2> schwarz_bounds(const Group& group, const Basis& basis) {
  const auto shells = basis.shells.size();
  Array<double, 2> bounds(group, {shells, shells}, {.name = "Schwarz bounds"});
  Engine engine(Operator::coulomb, max_primitives(basis), largest_momentum(basis), 0, 0.);
  const auto ranks = static_cast<std::size_t>(group.size());
  for (auto i = static_cast<std::size_t>(group.rank()); i < shells; i += ranks) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto &a = basis.shells[i], &b = basis.shells[j];
      engine.compute(a, b, a, b);
      double most = 0;
      const auto pairs = a.size() * b.size();
      for (std::size_t k = 0; engine.results()[0] != nullptr && k < pairs; ++k) {
        most = std::max(most, std::abs(engine.results()[0][k * pairs + k]));
      }
      bounds.store({i, j}, std::sqrt(most));
      bounds.store({j, i}, std::sqrt(most));
    }
  }
  bounds.sync();
  return bounds.get(Patch<2>::whole(bounds.dims()));
}

}  // namespace rhf
