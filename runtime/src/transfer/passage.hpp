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

/// What every operation does between its check and its path. It counts the operation, and between nodes takes
/// the network lock. It completes what the operation must not overtake, and marks what it leaves under way. It
/// lives as long as the operation, and measures its time.
class Passage {
 public:
  Passage(SegmentState& segment, int rank, Path path, Verb verb, index_t bytes, Returns returns)
      : counted_(segment, segment.tallies(), rank, path, counted_as(verb), bytes) {
    if (path != Path::node) turn_.emplace(segment.group().runtime().threads());
    order(segment, rank, path, counted_as(verb), returns);
  }

  /// Completes what an operation must not overtake, and marks what it leaves. Under the network lock, except on
  /// the node's path.
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
