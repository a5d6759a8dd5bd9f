// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

#include <cmath>
#include <numbers>

#include "riemann.hpp"

namespace euler {

Case sod() {
  const Primitive left{1, 0, 0, 1}, right{0.125, 0, 0, 0.1};
  const RiemannProblem problem(left, right);
  const auto solution = [=](double x, double, double t) {
    return t > 0 ? problem.at((x - 0.5) / t) : x < 0.5 ? left : right;
  };
  return {"sod", 1, 0, 4, Ends::open, Ends::walls, 0.2, solution, true};
}

Case vortex() {
  constexpr double side = 10, strength = 5, pi = std::numbers::pi;
  const auto solution = [](double x, double y, double t) -> Primitive {
    // From the middle of the vortex, which moves at (1, 1).
    const double rx = std::remainder(x - t - side / 2, side), ry = std::remainder(y - t - side / 2, side);
    const double swirl = strength / (2 * pi) * std::exp(0.5 * (1 - rx * rx - ry * ry));
    const double temperature = 1 - (gamma - 1) / (2 * gamma) * swirl * swirl;
    const double density = std::pow(temperature, 1 / (gamma - 1));
    return {density, 1 - swirl * ry, 1 + swirl * rx, density * temperature};
  };
  return {"vortex", side, side, 0, Ends::periodic, Ends::periodic, 10, solution, true};
}

Case blast() {
  const auto solution = [](double x, double y, double) -> Primitive {
    return {1, 0, 0, std::hypot(x - 0.5, y - 0.5) < 0.1 ? 10 : 0.1};
  };
  return {"blast", 1, 1, 0, Ends::walls, Ends::walls, 0.5, solution, false};
}

}  // namespace euler
