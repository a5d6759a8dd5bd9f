// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <vector>

#include <tessera/layout.hpp>

#include "near_square.hpp"
#include "session.hpp"

/// The sections of the benchmark, each a table of its own.
namespace tessera::benchmark::linalg {

/// Rows and columns of a product, and products in each sum.
struct Shape {
  index_t m, n, k;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// All of these are @collective. `global_arrays`: whether Global Arrays runs; `only`: the shapes to measure
/// instead of all
void gemm(Session& session, bool global_arrays, const std::vector<Shape>& only);
void contractions(Session& session);
void blocks(Session& session);
void solvers(Session& session);
void batch(Session& session);
void memory(Session& session);

}  // namespace tessera::benchmark::linalg
