// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// Exchanges between the copies of an array, when each node of a group has one. The i-th members of all nodes
/// exchange share i of the elements. There are as many shares as the smallest node has members. All are
/// @collective over the group.
class NodeCopies {
 public:
  explicit NodeCopies(const Group& group);
  void merge(const ArrayCore& copy, Reduce operation) const;
  void broadcast(const ArrayCore& copy, int node) const;
  const Group& group() const noexcept { return group_; }

 private:
  template <class F>
  void for_each_part(const ArrayCore& copy, int least, F&& f) const;

  Group group_, peers_;
  int share_, shares_;
};

}  // namespace tessera::detail
