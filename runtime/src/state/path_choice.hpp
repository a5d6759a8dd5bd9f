// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/types.hpp>

#include "base/verb.hpp"

namespace tessera {
class Group;
}

namespace tessera::detail {

/// Whether runs travel alone, or as part of a shape, a list or a Batch.
enum class Amount : std::uint8_t { one, many };

/// The lengths of contiguous runs for which MPI's window is faster than an agent. Over a network that writes to
/// memory by itself (RDMA) these are most lengths, over TCP none.
struct PathChoice {
  static constexpr std::array<index_t, 4> lengths{8, index_t{4} << 10, index_t{64} << 10, index_t{1} << 20};
  std::array<bool, lengths.size()> put{}, get{};
  /// The same for several runs in one operation. Agents take a list in one message, while the window takes a
  /// message for each run.
  std::array<bool, lengths.size()> put_lists{}, get_lists{};

  bool any() const noexcept;
  /// The operations that take the window: "put of 64 KiB, get of 1 MiB"; empty if none does. @local
  std::string text() const;
  /// Whether puts or gets of runs of that length should go by the window. The longest measured length that is
  /// not longer decides. @local
  bool by_window(Verb verb, index_t run, Amount amount) const noexcept;
  /// Measures both paths between rank 0 and a member on another node; all members get the same result. The
  /// target is out of MPI meanwhile, unless in this mode it serves others only by calling. @collective
  static PathChoice measure(const Group& world, ProgressMode mode);
};

}  // namespace tessera::detail
