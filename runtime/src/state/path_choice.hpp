// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>

#include <tessera/runtime/types.hpp>

#include "base/verb.hpp"

namespace tessera {
class Group;
}

namespace tessera::detail {

/// For which lengths of contiguous runs MPI's window is faster than an agent: over a network that writes to
/// memory by itself, for most; over TCP for none.
struct PathChoice {
  static constexpr std::array<index_t, 4> lengths{8, index_t{4} << 10, index_t{64} << 10, index_t{1} << 20};
  std::array<bool, lengths.size()> put{}, get{};

  bool any() const noexcept;
  /// Whether puts or gets of runs of that length should go by the window: what holds for the longest length
  /// measured that is not longer. @local
  bool by_window(Verb verb, index_t run) const noexcept;
  /// Measures both between rank 0 and a member on another node, the same answer for all. @collective
  static PathChoice measure(const Group& world);
};

}  // namespace tessera::detail
