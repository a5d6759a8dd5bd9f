// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The exact solution of the Riemann problem (Toro 2009, chapter 4).
#pragma once

#include "state.hpp"

namespace euler {

/// Two states that meet at x = 0 when t = 0. Without vacuum between them.
class RiemannProblem {
 public:
  RiemannProblem(const Primitive& left, const Primitive& right);
  /// The state where x / t is so large.
  Primitive at(double speed) const;
  double middle_pressure() const noexcept { return pressure_; }
  double middle_speed() const noexcept { return speed_; }

 private:
  Primitive left_, right_;
  double pressure_, speed_;  // between both waves
};

}  // namespace euler
