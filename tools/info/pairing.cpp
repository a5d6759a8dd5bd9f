// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pairing.hpp"

#include <algorithm>

namespace tessera::info {

Pairing to_next_rank(const Group& world) {
  const int me = world.rank(), size = world.size();
  return {size == 1 ? "a rank and itself" : "each rank and the next",
          (me + 1) % size,
          0,
          {{(me + size - 1) % size, 0}},
          1};
}

Pairing to_next_node(const Group& world) {
  const auto nodes = static_cast<std::size_t>(world.node_count());
  std::vector<std::vector<int>> ranks(nodes);
  for (int rank = 0; rank < world.size(); ++rank)
    ranks[static_cast<std::size_t>(world.node_of(rank))].push_back(rank);
  Pairing pairing{"each rank and one on the next node", 0, 0, {}, 1};
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::vector<int>& targets = ranks[(node + 1) % nodes];
    for (std::size_t slot = 0; slot < ranks[node].size(); ++slot) {
      const int origin = ranks[node][slot], target = targets[slot % targets.size()];
      const auto area = static_cast<index_t>(slot / targets.size());
      if (origin == world.rank()) pairing.target = target, pairing.area = area;
      if (target == world.rank()) pairing.origins.push_back({origin, area});
      pairing.areas = std::max(pairing.areas, area + 1);
    }
  }
  return pairing;
}

}  // namespace tessera::info
