// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "script.hpp"

namespace tessera::stress {

/// Random numbers, and extents, grids and layouts made of them; the same for the same seed.
class RandomShapes {
 public:
  explicit RandomShapes(index_t seed) : random_(static_cast<std::uint64_t>(seed)) {}

  index_t pick(index_t low, index_t high) {
    return low + static_cast<index_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return pick(0, 99) < percent; }
  template <class C>
  const auto& one_of(const C& all) {
    return all[static_cast<std::size_t>(pick(0, static_cast<index_t>(all.size()) - 1))];
  }
  std::string word(const std::vector<const char*>& words) { return one_of(words); }
  template <class C>
  void shuffle(C& all) {
    std::shuffle(all.begin(), all.end(), random_);
  }

  Numbers some_extents(std::size_t rank);
  /// The layout of an array of these extents, for a group of `ranks`.
  void add_layout(Line& line, const Numbers& extents, int ranks, bool ghosts);

 private:
  Numbers some_grid(std::size_t rank, int ranks);
  // Where the parts of an extent begin.
  Numbers some_starts(index_t extent, index_t parts, bool distinct);

  std::mt19937_64 random_;
};

}  // namespace tessera::stress
