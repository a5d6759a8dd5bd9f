// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include "collision.hpp"
#include "run/run.hpp"

namespace cavity {

/// What the command line says. Lengths are in cells, times in steps.
struct Options {
  solvers::RunOptions run;
  index_t size = 129, depth = 0, steps = 20000;
  int dimensions = 2;
  double reynolds = 100, lid = 0.1, until_steady = 0;
  std::string span = "walls", picture;

  double viscosity() const { return lid * static_cast<double>(size) / reynolds; }
  bool is_span_periodic() const { return dimensions == 3 && span == "periodic"; }
};

}  // namespace cavity
