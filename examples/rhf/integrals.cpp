// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "integrals.hpp"

#include <algorithm>
#include <cmath>

#include "one_electron.hpp"
#include "repulsion.hpp"

namespace rhf {

using namespace tessera;

namespace {

// Calls function(i, j) for the pairs i >= j of shells that this rank computes.
template <class F>
void for_each_pair(const Group& group, const Basis& basis, F&& function) {
  const auto ranks = static_cast<std::size_t>(group.size());
  for (auto i = static_cast<std::size_t>(group.rank()); i < basis.shells.size(); i += ranks) {
    for (std::size_t j = 0; j <= i; ++j) function(i, j);
  }
}

// Puts a block of a symmetric matrix, and its transpose.
void put_symmetric(Matrix& matrix, const Index<2>& at, const View<const double, 2>& block) {
  matrix.put(Patch<2>::at(at, block.extents()), block);
  const View<const double, 2> turned(block.data_handle(), {block.extent(1), block.extent(0)},
                                     {block.stride(1), block.stride(0)});
  matrix.put(Patch<2>::at({at[1], at[0]}, turned.extents()), turned);
}

}  // namespace

void one_electron(const Basis& basis, const Molecule& molecule, Matrix& overlap, Matrix& core) {
  using Kind = OneElectronEngine::Kind;
  OneElectronEngine s(Kind::overlap, basis, molecule), t(Kind::kinetic, basis, molecule),
      v(Kind::nuclear, basis, molecule);
  for_each_pair(overlap.group(), basis, [&](std::size_t i, std::size_t j) {
    const auto &a = basis.shells[i], &b = basis.shells[j];
    const Index<2> at{basis.first[i], basis.first[j]};
    LocalArray<double, 2> sum({basis.first[i + 1] - at[0], basis.first[j + 1] - at[1]});
    put_symmetric(overlap, at, {s.compute(a, b), sum.extents()});
    const double *kinetic = t.compute(a, b), *nuclear = v.compute(a, b);
    for (double& x : sum) x = *kinetic++ + *nuclear++;
    put_symmetric(core, at, sum);
  });
  overlap.sync();
  core.sync();
}

LocalArray<double, 2> schwarz_bounds(const Group& group, const Basis& basis) {
  const auto shells = static_cast<index_t>(basis.shells.size());
  Array<double, 2> bounds(group, {shells, shells}, {.name = "Schwarz bounds"});
  // Products of primitives of any size count: the square root of a small integral is not as small.
  RepulsionEngine engine(basis, 0);
  PairData pair;
  for_each_pair(group, basis, [&](std::size_t i, std::size_t j) {
    const bool turned = basis.shells[i].contr[0].l < basis.shells[j].contr[0].l;
    const auto &a = basis.shells[turned ? j : i], &b = basis.shells[turned ? i : j];
    engine.prepare(a, b, pair);
    const double* integrals = engine.compute(a, b, a, b, pair, pair);
    double most = 0;
    const auto pairs = a.size() * b.size();
    for (std::size_t k = 0; integrals != nullptr && k < pairs; ++k)
      most = std::max(most, std::abs(integrals[k * pairs + k]));
    most = std::sqrt(most);
    put_symmetric(bounds, {i, j}, {&most, {1, 1}});
  });
  bounds.sync();
  return bounds.get(Patch<2>::whole(bounds.dims()));
}

}  // namespace rhf
