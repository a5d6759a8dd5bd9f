// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The velocities of lattice Boltzmann methods, with their weights (Qian, d'Humieres and Lallemand 1992).
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace cavity {

/// Velocities are in the order of the array's dimensions: (y, x). Population 0 rests. Populations 2 p + 1 and
/// 2 p + 2 are a pair: the first has velocity pairs[p], the second the opposite one.
struct D2Q9 {
  static constexpr std::size_t dimensions = 2, populations = 9;
  static constexpr std::array<std::array<int, 2>, 4> pairs{{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
  static constexpr double rest = 4 / 9.0, axis = 1 / 9.0, diagonal = 1 / 36.0;
};

/// The same in three dimensions: (z, y, x). Summed over z, it is D2Q9.
struct D3Q19 {
  static constexpr std::size_t dimensions = 3, populations = 19;
  static constexpr std::array<std::array<int, 3>, 9> pairs{
      {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 1}, {0, 1, -1}, {1, 0, 1}, {1, 0, -1}, {1, 1, 0}, {1, -1, 0}}};
  static constexpr double rest = 1 / 3.0, axis = 1 / 18.0, diagonal = 1 / 36.0;
};

/// The population with the opposite velocity.
constexpr std::size_t opposite(std::size_t q) { return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1; }

/// The velocity of a population.
template <class Lattice>
constexpr std::array<int, Lattice::dimensions> velocity(std::size_t q) {
  std::array<int, Lattice::dimensions> e{};
  for (std::size_t d = 0; d < e.size() && q > 0; ++d)
    e[d] = q % 2 == 1 ? Lattice::pairs[(q - 1) / 2][d] : -Lattice::pairs[(q - 1) / 2][d];
  return e;
}

/// The weight of a population.
template <class Lattice>
constexpr double weight(std::size_t q) {
  int squared = 0;
  for (const int e : velocity<Lattice>(q)) squared += e * e;
  return squared == 0 ? Lattice::rest : squared == 1 ? Lattice::axis : Lattice::diagonal;
}

/// Calls f(constant 0), f(constant 1), ..., f(constant count - 1): a loop that needs no unrolling.
template <std::size_t count, class F>
constexpr void for_each_constant(F&& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) { (f(std::integral_constant<std::size_t, k>{}), ...); }
  (std::make_index_sequence<count>{});
}

}  // namespace cavity
