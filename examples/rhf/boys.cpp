// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "boys.hpp"

#include <cmath>
#include <numbers>

namespace rhf {
namespace {

// exp(-t) times the sum of (2t)^i / ((2m + 1) (2m + 3) ... (2m + 2i + 1)).
double by_series(int m, double t) {
  double term = 1.0 / (2 * m + 1), sum = term;
  for (int i = 1; term > 1e-17 * sum; ++i) sum += term *= 2 * t / (2 * m + 2 * i + 1);
  return std::exp(-t) * sum;
}

}  // namespace

Boys::Boys(int most) : columns_(most + terms) {
  for (int m = 0; m <= most; ++m) inverse_.push_back(1.0 / (2 * m - 1));
  const auto points = static_cast<int>(asymptotic * per_unit) + 2;
  for (int i = 0; i < points; ++i) {
    for (int m = 0; m < columns_; ++m) table_.push_back(by_series(m, i / per_unit));
  }
}

void Boys::evaluate(double t, int last, double factor, double* values) const {
  // Multiplications by constants, as divisions take many times longer.
  if (t >= asymptotic) {
    // Beyond 100 the exponential does not count.
    const double half_inverse = 0.5 / t, tail = last > 0 && t < 100 ? factor * std::exp(-t) : 0;
    values[0] = factor * std::sqrt(std::numbers::pi / 2 * half_inverse);
    for (int m = 0; m < last; ++m) values[m + 1] = half_inverse * ((2 * m + 1) * values[m] - tail);
    return;
  }
  // The derivative of F_m is -F_(m + 1).
  const auto point = static_cast<int>(t * per_unit + 0.5);
  const double* f = &table_[static_cast<std::size_t>(point * columns_ + last)];
  const double x = point * (1 / per_unit) - t;
  values[last] =
      factor *
      (f[0] + x * (f[1] + x * (1 / 2. * f[2] +
                               x * (1 / 6. * f[3] +
                                    x * (1 / 24. * f[4] + x * (1 / 120. * f[5] + x * (1 / 720. * f[6])))))));
  if (last == 0) return;
  const double tail = factor * std::exp(-t), twice = 2 * t;
  for (int m = last; m > 0; --m)
    values[m - 1] = (twice * values[m] + tail) * inverse_[static_cast<std::size_t>(m)];
}

}  // namespace rhf
