// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/linalg/gemm.hpp>
#include <tessera/reductions.hpp>

#include "session.hpp"
#include "ways.hpp"

namespace tessera::benchmark::lu {
namespace {

// On the diagonal n, elsewhere some number between -1 and 1 (the finaliser of SplitMix64: Steele, Lea and
// Flood, OOPSLA 2014).
double element(index_t n, index_t i, index_t j) {
  if (i == j) return static_cast<double>(n);
  auto bits = static_cast<std::uint64_t>(i * n + j + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>(static_cast<std::int64_t>(bits ^ (bits >> 31))) * 0x1p-63;
}

}  // namespace

void set(const Ownership& own, const Way& way) {
  way.visit([&](const Block& block) {
    for_each(own, block, [n = own.size()](index_t i, index_t j, double& x) { x = element(n, i, j); });
  });
}

void check_factors(const Group& world, const Ownership& own, const Way& way) {
  const index_t n = own.size();
  set(own, way);
  world.barrier();
  way.factor();
  std::vector<double> found(static_cast<std::size_t>(n * n), 0.0), expected(found.size());
  const Block all(found.data(), {n, n}, {1, n}), alone(expected.data(), {n, n}, {1, n});
  way.visit([&](const Block& block) {
    for_each(own, block, [&](index_t i, index_t j, const double& x) { all(i, j) = x; });
  });
  world.all_reduce(std::span(found), Reduce::sum);
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = 0; i < n; ++i) alone(i, j) = element(n, i, j);
  }
  require(factor_by_lapack(alone), "DGETRF");
  const double allowed = 8 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  const bool are_equal = std::ranges::equal(
      found, expected, [allowed](double one, double other) { return std::abs(one - other) <= allowed; });
  require(are_equal, way.name + ", whose factors are not those of DGETRF");
}

double residual(const Group& world, const Ownership& own, const Way& way) {
  set(own, way);
  world.barrier();
  way.factor();
  Array<double, 2> l(world, own.layout(), {.name = "L"}), u = l.duplicate("U"), a = l.duplicate("A - L U");
  {
    const auto lower = l.local(), upper = u.local(), rest = a.local();
    way.visit([&](const Block& block) {
      for_each(own, block, [&](index_t i, index_t j, const double& x) {
        const Index<2> at = own.local({i, j});
        lower[at] = i > j ? x : i == j ? 1.0 : 0.0;
        upper[at] = i > j ? 0.0 : x;
        rest[at] = element(own.size(), i, j);
      });
    });
  }
  linalg::gemm(-1.0, l, u, 1.0, a);
  const auto n = static_cast<double>(own.size());  // also max |A|
  const double found = norm_inf(a) / (n * n * std::numeric_limits<double>::epsilon());
  a.close(), u.close(), l.close();
  return found;
}

}  // namespace tessera::benchmark::lu
