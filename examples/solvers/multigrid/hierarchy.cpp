// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hierarchy.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace solvers {

using tessera::index_t;
using tessera::Layout;

template <std::size_t N>
bool can_be_halved(const tessera::Extents<N>& dims) {
  bool can = true;
  for (std::size_t d = 0; d < N; ++d) can = can && dims[d] % 2 == 0 && dims[d] >= 4;
  return can;
}

template <std::size_t N>
bool blocks_are_even(const Layout<N>& layout) {
  bool are = true;
  for (int d = 0; d < static_cast<int>(N); ++d) {
    for (const index_t start : layout.block_starts(d)) are = are && start % 2 == 0;
  }
  return are;
}

template <std::size_t N>
Layout<N> coarser(const Layout<N>& fine, index_t least_block) {
  Layout<N> coarse = fine.coarsened(2);
  for (std::size_t d = 0; d < N; ++d) {
    for (;;) {
      const auto starts = coarse.block_starts(static_cast<int>(d));
      index_t least = coarse.dims()[d] - starts.back();
      for (std::size_t b = 1; b < starts.size(); ++b) least = std::min(least, starts[b] - starts[b - 1]);
      if (starts.size() == 1 || least >= least_block) break;
      tessera::PerDimension<index_t, N> factors(1);
      factors[d] = 2;
      coarse = coarse.agglomerated(factors);
    }
  }
  return coarse;
}

template <std::size_t N>
void require_small(const tessera::Extents<N>& dims) {
  constexpr index_t most_cells = 1 << 17, most_along = 1024;
  std::string text;
  bool is_small = dims.size() <= most_cells;
  for (std::size_t d = 0; d < N; ++d) {
    text += (d > 0 ? " x " : "") + std::to_string(dims[d]);
    is_small = is_small && dims[d] <= most_along;
  }
  if (is_small) return;
  throw tessera::UsageError(fmt::format(
      "Multigrid: the coarsest level would have {} cells (the direct solver takes {} of them, and {} along a "
      "dimension); choose extents with more factors of 2 in each dimension",
      text, most_cells, most_along));
}

template bool can_be_halved<2>(const tessera::Extents<2>&);
template bool blocks_are_even<2>(const Layout<2>&);
template Layout<2> coarser<2>(const Layout<2>&, index_t);
template void require_small<2>(const tessera::Extents<2>&);
template bool can_be_halved<3>(const tessera::Extents<3>&);
template bool blocks_are_even<3>(const Layout<3>&);
template Layout<3> coarser<3>(const Layout<3>&, index_t);
template void require_small<3>(const tessera::Extents<3>&);

}  // namespace solvers
