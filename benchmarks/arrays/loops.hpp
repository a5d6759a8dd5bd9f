// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

/// Plain loops, as a programmer writes them and the flags of the build compile them. They stand in a file of
/// their own, so that the compiler knows neither lengths nor constants. All are @local.
namespace tessera::benchmark::arrays::loops {

void fill(double* x, double value, index_t n);
void scale(double* x, double alpha, index_t n);
/// y = alpha x + beta y
void axpby(double alpha, const double* x, double beta, double* y, index_t n);
/// z = x y
void multiply(const double* x, const double* y, double* z, index_t n);
/// x = 1 - x; y = 1 - x
void flip(double* x, index_t n);
void flip(const double* x, double* y, index_t n);
/// z = x / 2 + y; w = x y + z
void combine(const double* x, const double* y, double* z, index_t n);
void combine(const double* x, const double* y, const double* z, double* w, index_t n);
/// The sum of x y.
double dot(const double* x, const double* y, index_t n);

}  // namespace tessera::benchmark::arrays::loops
