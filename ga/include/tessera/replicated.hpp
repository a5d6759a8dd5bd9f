// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/core/agreed.hpp>
#include <tessera/detail/node_copies.hpp>
#include <tessera/slice.hpp>

namespace tessera {

/// A node-replicated array: each node has all of it, shared by the node's members, who read, write and
/// accumulate their own node's copy alone, without any traffic; merge() makes all copies the reduction of them.
/// What Global Arrays calls mirrored.
///
/// It is an array on the group of each node: every operation on arrays works on the copy, and is collective
/// over that group. Move-only.
template <Element T, std::size_t N>
class Replicated {
 public:
  /// Distributes each copy over the members of its node. @collective over the whole group
  /// @throws as Array
  Replicated(const Group& group, const Extents<N>& dims, std::string_view name = "replicated")
      : copies_(group), copy_(detail::made_by_all(group, "Replicated", [&] {
          return Array<T, N>(group.node(), dims, {.name = name});
        })) {}

  const Group& group() const noexcept { return copies_.group(); }
  /// This node's copy. @local
  Array<T, N>& copy() noexcept { return copy_; }
  const Array<T, N>& copy() const noexcept { return copy_; }

  /// Every copy becomes the reduction of all of them; the sum of what each node has added up, for one.
  /// @collective
  /// @throws UsageError for an operation that the type does not have
  void merge(Reduce operation = Reduce::sum) requires Arithmetic<T> { copies_.merge(copy_.core(), operation); }
  /// Every copy becomes that of a node. @collective @throws UsageError if there is no such node
  void broadcast(int node = 0) { copies_.broadcast(copy_.core(), node); }
  /// Frees the memory now. @collective
  void close() {
    group().barrier();
    copy_.close();
  }

 private:
  detail::NodeCopies copies_;
  Array<T, N> copy_;
};

}  // namespace tessera
