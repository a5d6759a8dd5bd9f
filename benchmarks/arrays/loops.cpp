// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "loops.hpp"

namespace tessera::benchmark::arrays::loops {

void fill(double* x, double value, index_t n) {
  for (index_t i = 0; i < n; ++i) x[i] = value;
}

void scale(double* x, double alpha, index_t n) {
  for (index_t i = 0; i < n; ++i) x[i] *= alpha;
}

void axpby(double alpha, const double* x, double beta, double* y, index_t n) {
  for (index_t i = 0; i < n; ++i) y[i] = alpha * x[i] + beta * y[i];
}

void multiply(const double* x, const double* y, double* z, index_t n) {
  for (index_t i = 0; i < n; ++i) z[i] = x[i] * y[i];
}

void flip(double* x, index_t n) {
  for (index_t i = 0; i < n; ++i) x[i] = 1.0 - x[i];
}

void flip(const double* x, double* y, index_t n) {
  for (index_t i = 0; i < n; ++i) y[i] = 1.0 - x[i];
}

void combine(const double* x, const double* y, double* z, index_t n) {
  for (index_t i = 0; i < n; ++i) z[i] = 0.5 * x[i] + y[i];
}

void combine(const double* x, const double* y, const double* z, double* w, index_t n) {
  for (index_t i = 0; i < n; ++i) w[i] = x[i] * y[i] + z[i];
}

double dot(const double* x, const double* y, index_t n) {
  double sum = 0.0;
  for (index_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace tessera::benchmark::arrays::loops
