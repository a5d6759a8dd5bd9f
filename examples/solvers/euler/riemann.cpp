// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "riemann.hpp"

#include <algorithm>
#include <cmath>

namespace euler {
namespace {

struct Change {
  double speed, derivative;
};

// The speed that a wave into state w adds, if the pressure behind the wave is p; and its derivative.
Change change_across(const Primitive& w, double p) {
  if (p > w.pressure) {  // a shock
    const double a = 2 / ((gamma + 1) * w.density), b = (gamma - 1) / (gamma + 1) * w.pressure;
    const double root = std::sqrt(a / (p + b));
    return {(p - w.pressure) * root, root * (1 - 0.5 * (p - w.pressure) / (p + b))};
  }
  const double sound = speed_of_sound(w), ratio = p / w.pressure;
  return {2 * sound / (gamma - 1) * (std::pow(ratio, (gamma - 1) / (2 * gamma)) - 1),
          std::pow(ratio, -(gamma + 1) / (2 * gamma)) / (w.density * sound)};
}

// The state at a speed in the left half of a problem.
Primitive left_half(const Primitive& w, double p, double u, double speed) {
  const double sound = speed_of_sound(w), ratio = p / w.pressure;
  if (p > w.pressure) {
    const double shock = w.u - sound * std::sqrt((gamma + 1) / (2 * gamma) * ratio + (gamma - 1) / (2 * gamma));
    if (speed < shock) return w;
    const double g = (gamma - 1) / (gamma + 1);
    return {w.density * (ratio + g) / (g * ratio + 1), u, w.v, p};
  }
  const double head = w.u - sound, tail = u - sound * std::pow(ratio, (gamma - 1) / (2 * gamma));
  if (speed < head) return w;
  if (speed > tail) return {w.density * std::pow(ratio, 1 / gamma), u, w.v, p};
  const double factor = 2 / (gamma + 1) + (gamma - 1) / ((gamma + 1) * sound) * (w.u - speed);
  return {w.density * std::pow(factor, 2 / (gamma - 1)),
          2 / (gamma + 1) * (sound + (gamma - 1) / 2 * w.u + speed), w.v,
          w.pressure * std::pow(factor, 2 * gamma / (gamma - 1))};
}

Primitive mirrored(const Primitive& w) { return {w.density, -w.u, w.v, w.pressure}; }

}  // namespace

RiemannProblem::RiemannProblem(const Primitive& left, const Primitive& right) : left_(left), right_(right) {
  double p = 0.5 * (left.pressure + right.pressure);
  for (int iteration = 0; iteration < 50; ++iteration) {  // Newton's method
    const Change l = change_across(left, p), r = change_across(right, p);
    const double next =
        std::max(1e-3 * p, p - (l.speed + r.speed + right.u - left.u) / (l.derivative + r.derivative));
    const bool is_found = std::abs(next - p) <= 1e-15 * p;
    p = next;
    if (is_found) break;
  }
  pressure_ = p;
  speed_ = 0.5 * (left.u + right.u + change_across(right, p).speed - change_across(left, p).speed);
}

Primitive RiemannProblem::at(double speed) const {
  if (speed < speed_) return left_half(left_, pressure_, speed_, speed);
  return mirrored(left_half(mirrored(right_), pressure_, -speed_, -speed));
}

}  // namespace euler
