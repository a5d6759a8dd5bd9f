// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>

#include <tessera/layout.hpp>

#include "session.hpp"

/// The sections of the benchmark, each a table of its own.
namespace tessera::benchmark::linalg {

/// The process grid of ScaLAPACK that so many ranks have here. @local
inline Extents<2> near_square(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return {rows, ranks / rows};
}

/// @collective, all of these; `global_arrays`: whether the library runs
void gemm(Session& session, bool global_arrays);
void solvers(Session& session);
void batch(Session& session);
void memory(Session& session);

}  // namespace tessera::benchmark::linalg
