// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cut.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark::mg {
namespace {

// An exchange of ghost cells takes as long as the work on about so many points of a level.
constexpr double points_per_exchange = 10'000;

Extents<3> extents(int level) {
  const index_t n = index_t{1} << level;
  return {n, n, n};
}

Layout<3> blocks(int level, int ranks) { return Layout<3>::blocked(extents(level), ranks, {.periodic = true}); }

// What a cycle costs the busiest rank, in points: its points on all levels, and the exchanges. Infinite if a
// rank has no block.
double work(const Layout<3>& cut, int whole, int levels) {
  index_t most = 0;
  for (int rank = 0; rank < cut.ranks(); ++rank) {
    if (cut.local_size(rank) == 0) return std::numeric_limits<double>::infinity();
    most = std::max(most, cut.local_size(rank));
  }
  double sum = 0;
  for (int level = 1; level <= whole; ++level) sum += static_cast<double>(extents(level).size());
  for (int level = whole + 1; level <= levels; ++level)
    sum += static_cast<double>(most << 3 * (level - whole)) + points_per_exchange;
  return sum;
}

}  // namespace

Cut::Cut(int levels, int ranks) : coarsest_(blocks(1, ranks)) {
  double least = std::numeric_limits<double>::infinity();
  for (int level = 1; level < levels; ++level) {
    const Layout<3> cut = blocks(level, ranks);
    const double here = work(cut, level, levels);
    if (here < least) least = here, whole_ = level, coarsest_ = cut;
  }
  if (whole_ > 0) return;
  throw UsageError(
      "a grid of " + std::to_string(index_t{1} << levels) + " points in each dimension cannot be cut into " +
      std::to_string(ranks) +
      " blocks that have two points or more in each dimension (each rank needs one); take fewer ranks "
      "or a larger class");
}

}  // namespace tessera::benchmark::mg
