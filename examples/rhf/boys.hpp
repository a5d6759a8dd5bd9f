// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

namespace rhf {

/// Boys functions F_m(t), the integrals of x^(2m) exp(-t x^2) for x from 0 to 1.
class Boys {
 public:
  /// For m up to `most`.
  explicit Boys(int most);

  /// Sets values[m] = factor * F_m(t) for m from 0 to `last`. Relative errors are some 1e-13.
  void evaluate(double t, int last, double factor, double* values) const;

 private:
  static constexpr int terms = 7;           // of the Taylor series
  static constexpr double per_unit = 10;    // points of the table
  static constexpr double asymptotic = 32;  // from here on F_0 is as for infinite t
  int columns_;
  std::vector<double> inverse_;  // 1 / (2m - 1)
  std::vector<double> table_;    // F_m at each point, for m up to the last plus the terms
};

}  // namespace rhf
