// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A gas in two dimensions, in conserved and in primitive variables.
#pragma once

#include <cmath>

namespace euler {

inline constexpr double gamma = 1.4;

/// What is conserved, for each unit of area. Also a flux of it.
struct State {
  double density, momentum_x, momentum_y, energy;

  friend State operator+(const State& a, const State& b) noexcept {
    return {a.density + b.density, a.momentum_x + b.momentum_x, a.momentum_y + b.momentum_y,
            a.energy + b.energy};
  }
  friend State operator-(const State& a, const State& b) noexcept {
    return {a.density - b.density, a.momentum_x - b.momentum_x, a.momentum_y - b.momentum_y,
            a.energy - b.energy};
  }
  friend State operator*(double c, const State& a) noexcept {
    return {c * a.density, c * a.momentum_x, c * a.momentum_y, c * a.energy};
  }
};

/// u is the velocity along x, v along y.
struct Primitive {
  double density, u, v, pressure;
};

inline double pressure_of(const State& s) noexcept {
  return (gamma - 1) *
         (s.energy - 0.5 * (s.momentum_x * s.momentum_x + s.momentum_y * s.momentum_y) / s.density);
}
inline Primitive primitive_of(const State& s) noexcept {
  const double volume = 1 / s.density;
  return {s.density, s.momentum_x * volume, s.momentum_y * volume, pressure_of(s)};
}
inline State conserved_of(const Primitive& w) noexcept {
  return {w.density, w.density * w.u, w.density * w.v,
          w.pressure / (gamma - 1) + 0.5 * w.density * (w.u * w.u + w.v * w.v)};
}
inline double speed_of_sound(const Primitive& w) noexcept { return std::sqrt(gamma * w.pressure / w.density); }

}  // namespace euler
