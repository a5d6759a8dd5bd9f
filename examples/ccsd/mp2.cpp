// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mp2.hpp"

#include <tessera/linalg/linalg.hpp>

namespace ccsd {

using namespace tessera;

Mp2Energy mp2_energy(const Space& space, const Tensor& ovov) {
  Tensor t = ovov.duplicate("amplitudes of second order");
  copy(ovov, t);
  const auto o = space.occupied_energies(), v = space.virtual_energies();
  linalg::divide_by_denominators(t, {{o}, {v, -1}, {o}, {v, -1}});
  const double opposite = dot(ovov, t), exchange = dot(ovov.slice().permuted({0, 3, 2, 1}), t);
  return {opposite - exchange, opposite};
}

}  // namespace ccsd
