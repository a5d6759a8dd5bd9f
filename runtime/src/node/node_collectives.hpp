// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class NodeBarrier;

// Collective calls of the processes of a node, in the memory of their NodeBarrier; by MPI while that is not
// open. All are @collective over the node.

/// Stands for all members, instead of the one that gets a result.
inline constexpr int all_members = -1;

/// Folds each element in the order of the ranks, whatever the number of elements. Returns when all have called
/// it. If only one member gets the result, it may return earlier on the others, and leaves their data as it is.
void reduce_on_node(NodeBarrier& node, void* data, index_t count, ElementKind kind, Reduce operation,
                    int to = all_members);
void broadcast_on_node(NodeBarrier& node, void* data, index_t bytes, int root, int to = all_members);

/// The bytes of each member among those that all members gather.
class Portions {
 public:
  /// As many bytes of each member. @local
  explicit Portions(index_t bytes) noexcept : bytes_(bytes) {}
  /// Where the portion of each member begins, and where the last one ends. @local
  explicit Portions(std::span<const index_t> bounds) noexcept : bounds_(bounds) {}

  index_t begin(int rank) const noexcept { return bounds_.empty() ? rank * bytes_ : bound(rank); }
  index_t length(int rank) const noexcept { return bounds_.empty() ? bytes_ : bound(rank + 1) - bound(rank); }
  index_t longest() const noexcept {
    index_t longest = bytes_;
    for (std::size_t r = 1; r < bounds_.size(); ++r) longest = std::max(longest, bounds_[r] - bounds_[r - 1]);
    return longest;
  }

 private:
  index_t bound(int rank) const noexcept { return bounds_[static_cast<std::size_t>(rank)]; }

  index_t bytes_ = 0;
  std::span<const index_t> bounds_;
};
/// The barrier must be open.
void gather_on_node(NodeBarrier& node, const void* value, void* all, const Portions& portions);

}  // namespace tessera::detail
