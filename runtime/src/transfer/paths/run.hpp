// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class SegmentState;

/// One run of a vector transfer, found and checked.
struct Run {
  SegmentState* segment;
  int rank;
  std::uint32_t number;  // in a list whose runs differ in length
  index_t offset;
  std::byte* place;  // on this node; null elsewhere
  std::byte* local;
};

/// The bytes of the runs of a list. No members of Run, as a larger Run would slow down long lists.
struct RunLengths {
  index_t each = 0;                      // their mean, if they differ: it chooses the path
  std::span<const index_t> listed = {};  // by their numbers, if they differ

  bool are_alike() const noexcept { return listed.empty(); }
  index_t of(const Run& run) const noexcept { return listed.empty() ? each : listed[run.number]; }
  index_t sum(std::span<const Run> runs) const noexcept {
    if (are_alike()) return each * static_cast<index_t>(runs.size());
    index_t bytes = 0;
    for (const Run& run : runs) bytes += of(run);
    return bytes;
  }
};

}  // namespace tessera::detail
