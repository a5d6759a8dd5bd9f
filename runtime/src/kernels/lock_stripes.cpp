// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/lock_stripes.hpp"

#include <algorithm>

#include "base/give_way.hpp"
#include "base/pause.hpp"

namespace tessera::detail {

// A holder is done within some microseconds unless it has lost its core. So the waiter first polls, ever more
// rarely: each poll takes the cache line away from the holder. Then it gives this core away.
void LockStripes::wait(std::atomic_ref<std::uint32_t> word) noexcept {
  int looks = 1;
  for (int turn = 0; word.load(std::memory_order_relaxed) != 0; ++turn) {
    if (turn < 24) {
      for (int i = 0; i < looks; ++i) pause();
      looks = std::min(2 * looks, 64);
    } else {
      give_way();
    }
  }
}

}  // namespace tessera::detail
