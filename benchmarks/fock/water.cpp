// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "water.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace tessera::benchmark::fock {
namespace {

using Vector = std::array<double, 3>;

Vector sum(const Vector& a, double factor, const Vector& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector direction(const Vector& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

// In angstrom.
constexpr double between_oxygens = 2.8, bond = 0.96, rise = 0.95;
constexpr double angle = 104.5 * std::numbers::pi / 180;

Vector outwards(int molecule) {
  const double turned = 2 * std::numbers::pi / 3 * molecule;
  return {std::cos(turned), std::sin(turned), 0};
}
Vector oxygen(int molecule) {
  const double radius = std::sqrt((between_oxygens * between_oxygens - rise * rise) / 3);
  return sum({0, 0, rise * molecule}, radius, outwards(molecule));
}

}  // namespace

rhf::Molecule water_cluster(int molecules) {
  rhf::Molecule cluster{"(H2O)" + std::to_string(molecules), {}};
  const auto add = [&](int charge, Vector at) {
    for (double& x : at) x *= rhf::bohr_per_angstrom;
    cluster.atoms.push_back({charge, at});
  };
  for (int i = 0; i < molecules; ++i) {
    const Vector at = oxygen(i), to_next = direction(sum(oxygen(i + 1), -1, at)), out = outwards(i);
    const Vector across = direction(sum(out, -dot(out, to_next), to_next));
    add(8, at);
    add(1, sum(at, bond, to_next));
    add(1, sum(sum(at, bond * std::cos(angle), to_next), bond * std::sin(angle), across));
  }
  return cluster;
}

}  // namespace tessera::benchmark::fock
