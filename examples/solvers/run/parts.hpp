// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The parts of a block for loops over rows: what needs no ghost cells, and the rest.
#pragma once

#include <algorithm>
#include <vector>

#include <tessera/patch.hpp>

namespace solvers {

/// The cells of a block that are farther from its sides than some widths, and the others in slabs.
template <std::size_t N>
struct Parts {
  tessera::Patch<N> interior;
  std::vector<tessera::Patch<N>> border;
};

/// The widths may differ between the two sides: 0 where there is nothing to wait for. @local
template <std::size_t N>
Parts<N> parts_of(const tessera::Patch<N>& block, const tessera::Extents<N>& low,
                  const tessera::Extents<N>& high) {
  Parts<N> parts{block, {}};
  tessera::Patch<N>& inside = parts.interior;
  for (std::size_t d = 0; d < N; ++d) {
    tessera::Patch<N> below = inside, above = inside;
    inside.lo[d] = below.hi[d] = std::min(block.hi[d], block.lo[d] + low[d]);
    inside.hi[d] = above.lo[d] = std::max(inside.lo[d], block.hi[d] - high[d]);
    for (const auto& slab : {below, above}) {
      if (!slab.empty()) parts.border.push_back(slab);
    }
  }
  return parts;
}

}  // namespace solvers
