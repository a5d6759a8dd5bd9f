// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

namespace tessera::info {

/// An origin and its area in the memory of its target.
struct Origin {
  int rank;
  index_t area;
};

/// One target for each rank, and how this rank takes part. Two origins with the same target have different
/// areas.
struct Pairing {
  std::string name;  // "each rank and the next"
  int target;
  index_t area;                 // of this rank, at its target
  std::vector<Origin> origins;  // the ranks whose target is this rank
  index_t areas;                // the most that any target needs
};

/// The target of each rank is the next rank; that of the last one is rank 0. @local
Pairing to_next_rank(const Group& world);
/// The target of each rank is on the next node. @local
Pairing to_next_node(const Group& world);

}  // namespace tessera::info
