// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The flux through a face along x: linear reconstruction on both sides, and the Riemann problem between them.
#pragma once

#include <algorithm>

#include "state.hpp"

namespace euler {

/// The difference over a cell from those to both neighbours: their harmonic mean, or 0 at an extremum (van Leer
/// 1974).
inline double limited(double before, double after) noexcept {
  const double product = before * after;
  return product > 0 ? 2 * product / (before + after) : 0;
}

/// A cell's state at its end towards the next cell (sign 1) or the previous one (sign -1).
inline Primitive at_end(const Primitive& before, const Primitive& here, const Primitive& after,
                        double sign) noexcept {
  const auto value = [&](double Primitive::*which) {
    return here.*which + 0.5 * sign * limited(here.*which - before.*which, after.*which - here.*which);
  };
  return {value(&Primitive::density), value(&Primitive::u), value(&Primitive::v), value(&Primitive::pressure)};
}

/// HLLC: three waves between two states (Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 2009,
/// section 10.4). The speeds of the outer ones are those of Einfeldt.
inline State hllc(const Primitive& left, const Primitive& right) noexcept {
  const State from_left = conserved_of(left), from_right = conserved_of(right);
  const double root_left = std::sqrt(left.density), root_right = std::sqrt(right.density);
  const double part = root_left / (root_left + root_right);
  const auto mean = [&](double a, double b) { return part * a + (1 - part) * b; };
  const double u = mean(left.u, right.u), v = mean(left.v, right.v);
  const double enthalpy = mean((from_left.energy + left.pressure) / left.density,
                               (from_right.energy + right.pressure) / right.density);
  const double sound = std::sqrt(std::max(0.0, (gamma - 1) * (enthalpy - 0.5 * (u * u + v * v))));
  const double slow = std::min(left.u - speed_of_sound(left), u - sound);
  const double fast = std::max(right.u + speed_of_sound(right), u + sound);

  const auto flux = [](const Primitive& w, const State& s) -> State {
    return {s.momentum_x, s.momentum_x * w.u + w.pressure, s.momentum_y * w.u, (s.energy + w.pressure) * w.u};
  };
  if (slow >= 0) return flux(left, from_left);
  if (fast <= 0) return flux(right, from_right);
  const double mass_left = left.density * (slow - left.u), mass_right = right.density * (fast - right.u);
  const double contact =
      (right.pressure - left.pressure + mass_left * left.u - mass_right * right.u) / (mass_left - mass_right);
  const auto beside_contact = [&](const Primitive& w, const State& s, double wave, double mass) {
    const double density = mass / (wave - contact);
    const State star{density, density * contact, density * w.v,
                     density * (s.energy / w.density + (contact - w.u) * (contact + w.pressure / mass))};
    return flux(w, s) + wave * (star - s);
  };
  return contact >= 0 ? beside_contact(left, from_left, slow, mass_left)
                      : beside_contact(right, from_right, fast, mass_right);
}

/// The flux between the second and the third of four cells in a row.
inline State face_flux(const Primitive& a, const Primitive& b, const Primitive& c,
                       const Primitive& d) noexcept {
  return hllc(at_end(a, b, c, 1), at_end(b, c, d, -1));
}

/// The same cells and fluxes with x and y exchanged.
inline Primitive turned(const Primitive& w) noexcept { return {w.density, w.v, w.u, w.pressure}; }
inline State turned(const State& s) noexcept { return {s.density, s.momentum_y, s.momentum_x, s.energy}; }

}  // namespace euler
