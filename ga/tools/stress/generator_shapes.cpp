// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "generator_shapes.hpp"

namespace tessera::stress {

Numbers RandomShapes::some_extents(std::size_t rank) {
  static constexpr index_t most[] = {150, 18, 7, 5, 4, 3, 3, 2};
  Numbers extents;
  for (std::size_t d = 0; d < rank; ++d)
    extents.push_back(chance(rank > 5 ? 1 : 2) ? 0 : chance(15) ? 1 : pick(2, most[rank - 1]));
  return extents;
}

Numbers RandomShapes::some_grid(std::size_t rank, int ranks) {
  Numbers grid(rank, 1);
  index_t left = ranks;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto d = static_cast<std::size_t>(pick(0, static_cast<index_t>(rank) - 1));
    const index_t factor = pick(1, left);
    grid[d] *= factor;
    left /= factor;
  }
  return grid;
}

Numbers RandomShapes::some_starts(index_t extent, index_t parts, bool distinct) {
  Numbers starts{0};
  for (index_t k = 1; k < parts; ++k) starts.push_back(pick(0, extent));
  std::sort(starts.begin(), starts.end());
  if (!distinct) return starts;
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  while (starts.size() > 1 && starts.back() >= extent) starts.pop_back();
  return starts;
}

void RandomShapes::add_layout(Line& line, const Numbers& extents, int ranks, bool ghosts) {
  int parts = ranks;
  if (chance(25)) {
    Numbers on;
    for (int rank = 0; rank < ranks; ++rank)
      if (chance(60)) on.push_back(rank);
    shuffle(on);
    if (!on.empty()) {
      parts = static_cast<int>(on.size());
      line.set("on", on);
    }
  }
  const bool is_empty = std::count(extents.begin(), extents.end(), 0) > 0;
  const index_t kind = pick(0, ghosts || is_empty ? 4 : 9);
  const std::size_t rank = extents.size();
  const Numbers grid = some_grid(rank, parts);
  if (kind < 3) {
    if (kind == 1) line.set("grid", grid);
    if (kind == 2) line.set("min_block", Numbers(rank, pick(1, 3)));
  } else if (kind < 5) {
    line.set("layout", "irregular");
    for (std::size_t d = 0; d < rank; ++d)
      line.set("starts" + std::to_string(d), some_starts(extents[d], grid[d], false));
  } else if (kind < 9) {
    line.set("layout", kind < 7 ? "block_cyclic" : "tiled").set("grid", grid);
    if (chance(30)) line.set("column", 1);
    Numbers block;
    for (std::size_t d = 0; d < rank; ++d) {
      block.push_back(pick(1, 5));
      if (kind == 8) line.set("starts" + std::to_string(d), some_starts(extents[d], pick(1, 4), true));
    }
    if (kind != 8) line.set("block", block);
  } else {
    const Numbers cuts = some_starts(extents[0], pick(1, 6), true);
    Numbers owners;
    for (std::size_t k = 0; k < cuts.size(); ++k) owners.push_back(pick(0, parts - 1));
    line.set("layout", "of_blocks").set("cuts", cuts).set("owners", owners);
  }
  if (chance(20)) line.set("storage", word({"row", "column"}));
}

}  // namespace tessera::stress
