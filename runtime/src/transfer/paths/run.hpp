// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class SegmentState;

/// One run of a vector transfer, found and checked.
struct Run {
  SegmentState* segment;
  int rank;
  index_t offset;
  std::byte* place;  // on this node; null elsewhere
  std::byte* local;
};

}  // namespace tessera::detail
