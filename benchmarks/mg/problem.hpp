// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <tessera/index.hpp>

namespace tessera::benchmark::mg {

/// A class of the benchmark (D. Bailey et al., The NAS Parallel Benchmarks 2.0, NAS-95-020).
struct Problem {
  std::string_view name;
  int levels;  // level k has 2^k points along each dimension; the finest is the last one
  int iterations;
  /// The smoother's values at the centre, and at points that differ in one and in two coordinates; 0 beyond.
  std::array<double, 3> smoother;
  /// The official norm of the residual after all iterations.
  double norm;

  index_t points() const noexcept { return index_t{1} << levels; }
};

/// The classes S, W, A and B.
const std::array<Problem, 4>& problems() noexcept;

/// A point of the right side that is not 0.
struct Charge {
  Index<3> at;
  double value;
};

/// The right side of a problem: 1 where the ten largest of its pseudo-random numbers are, -1 where the ten
/// smallest are. It takes a moment. @local
std::vector<Charge> charges(const Problem& problem);

}  // namespace tessera::benchmark::mg
