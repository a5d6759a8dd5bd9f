// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>

/// Expands `define` for each type that matrix routines work on.
#define TESSERA_FOR_EACH_SCALAR(define) \
  define(float) define(double) define(std::complex<float>) define(std::complex<double>)
