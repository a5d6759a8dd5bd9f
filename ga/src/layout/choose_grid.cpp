// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "layout/choose_grid.hpp"

#include <algorithm>
#include <limits>

namespace tessera::detail {
namespace {

// The pairs of neighbouring elements that one grid cuts apart.
double faces_cut(const std::vector<index_t>& dims, const std::vector<char>& periodic,
                 const std::vector<int>& grid) {
  double sum = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (grid[d] == 1) continue;
    double face = periodic[d] != 0 ? grid[d] : grid[d] - 1;
    for (std::size_t e = 0; e < dims.size(); ++e) {
      if (e != d) face *= static_cast<double>(dims[e]);
    }
    sum += face;
  }
  return sum;
}

struct Search {
  const std::vector<index_t>& dims;
  const std::vector<index_t>& most;  // parts per dimension
  const std::vector<char>& periodic;
  std::vector<int> grid, best;
  double least = std::numeric_limits<double>::infinity();

  void factor(std::size_t d, int rest) {
    if (d + 1 == dims.size()) {
      if (rest > most[d]) return;
      grid[d] = rest;
      if (const double faces = faces_cut(dims, periodic, grid); faces < least) least = faces, best = grid;
      return;
    }
    // From the largest factor down: of equal grids, the first one found cuts the first dimension the most, into
    // blocks of whole rows.
    for (int f = static_cast<int>(std::min<index_t>(rest, most[d])); f >= 1; --f) {
      if (rest % f != 0) continue;
      grid[d] = f;
      factor(d + 1, rest / f);
    }
  }
};

}  // namespace

std::vector<int> choose_grid(const std::vector<index_t>& dims, int ranks, const std::vector<index_t>& min_block,
                             const std::vector<char>& periodic) {
  std::vector<index_t> most(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    most[d] = std::max<index_t>(1, dims[d] / std::max<index_t>(1, min_block[d]));
  }
  index_t fitting = 1;  // more processes cannot hold elements
  for (const index_t parts : most)
    fitting = std::min<index_t>(ranks, fitting * std::min<index_t>(ranks, parts));
  // Not every number of processes has factors that fit the extents. Then fewer processes hold elements.
  for (int used = static_cast<int>(fitting); used > 1; --used) {
    Search search{dims, most, periodic, std::vector<int>(dims.size(), 1), {}};
    search.factor(0, used);
    if (!search.best.empty()) return search.best;
  }
  return std::vector<int>(dims.size(), 1);
}

}  // namespace tessera::detail
