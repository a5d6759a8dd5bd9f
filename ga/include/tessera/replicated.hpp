// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/core/agreed.hpp>
#include <tessera/detail/node_copies.hpp>
#include <tessera/slice.hpp>

namespace tessera {

/// A node-replicated array, which Global Arrays calls mirrored. Each node has a whole copy, which its members
/// share. Members read, write and accumulate only their own node's copy, without network traffic. merge() sets
/// all copies to their reduction.
///
/// The copy is an array on the group of the node: every operation on arrays works on it, and is collective over
/// that group. Move-only.
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

  /// Sets every copy to the reduction of all copies, for example to the sum of what each node has added up.
  /// @collective @throws UsageError for an operation that the type does not have
  void merge(Reduce operation = Reduce::sum) requires Arithmetic<T> { copies_.merge(copy_.core(), operation); }
  /// Sets every copy to the copy of `node`. @collective @throws UsageError if there is no such node
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
