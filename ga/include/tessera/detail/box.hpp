// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>

#include <tessera/patch.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

using Coordinates = std::array<index_t, static_cast<std::size_t>(max_rank)>;

/// A patch with a run-time number of dimensions; the entries beyond it are not used, nor set.
struct Box {
  Coordinates lo, hi;
};

/// A patch as a Box, or what is derived from one. @local
template <class B = Box, std::size_t N>
B box_of(const Patch<N>& patch) {
  B box;
  std::copy_n(patch.lo.begin(), N, box.lo.begin());
  std::copy_n(patch.hi.begin(), N, box.hi.begin());
  return box;
}

}  // namespace tessera::detail
