// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/index.hpp>

namespace tessera::benchmark {

/// The most nearly square grid of so many places, such as ranks. @local
inline Extents<2> near_square(int ranks) {
  int rows = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) rows = i;
  }
  return {rows, ranks / rows};
}

}  // namespace tessera::benchmark
