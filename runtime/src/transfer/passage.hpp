// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include "base/tallies.hpp"
#include "base/verb.hpp"
#include "completion/ordering.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "state/segment_state.hpp"

namespace tessera::detail {

/// Every operation between its check and its way: it is counted; between nodes the thread takes its turn at
/// MPI; what the operation must not overtake is completed; and what it leaves under way is marked. It ends with
/// the operation, whose time it takes.
class Passage {
 public:
  Passage(SegmentState& segment, int rank, Path path, Verb verb, index_t bytes, Returns returns)
      : counted_(segment, segment.tallies(), rank, path, counted_as(verb), bytes) {
    if (path != Path::node) turn_.emplace(segment.group().runtime().threads());
    order(segment, rank, path, counted_as(verb), returns);
  }

  /// Completes what an operation must not overtake, and marks what it leaves. Under the window lock, but on the
  /// node.
  static void order(const SegmentState& segment, int rank, Path path, Operation operation, Returns returns) {
    const Order& rule = order_of(path, operation);
    if (rule.after != 0) segment.complete(rank, rule.after);
    if (rule.leaves != 0 && returns == Returns::early) segment.under_way().add(rank, rule.leaves);
  }

 private:
  Counted counted_;
  std::optional<NetworkLock> turn_;
};

}  // namespace tessera::detail
