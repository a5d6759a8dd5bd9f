// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"

// Checks of one group that any of its members can make.
namespace tessera::test {

using Ranks = std::vector<int>;

inline bool contains(const Ranks& list, int rank) {
  return std::find(list.begin(), list.end(), rank) != list.end();
}

inline Ranks everyone() {
  Ranks list(at(world().size()));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

/// All queries about a group's members. `members` are their ranks in the world.
inline void check_members(const Group& group, const Ranks& members) {
  const Group& all = world();
  const auto size = static_cast<int>(members.size());
  ASSERT_TRUE(group);
  ASSERT_EQ(group.size(), size);
  EXPECT_EQ(members[at(group.rank())], all.rank());
  Ranks nodes;  // in the world, in the order of their lowest rank here
  for (int r = 0; r < size; ++r) {
    const int there = members[at(r)], node = all.node_of(there);
    if (!contains(nodes, node)) nodes.push_back(node);
    const auto here = std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
    EXPECT_EQ(group.world_rank(r), there);
    EXPECT_EQ(group.rank_of_world(there), r);
    EXPECT_EQ(group.node_of(r), here);
    EXPECT_EQ(group.on_node(r), all.on_node(there));
    const Distance near = r == group.rank() ? Distance::self : Distance::node;
    EXPECT_EQ(group.distance(r), all.on_node(there) ? near : Distance::network);
  }
  for (int there = 0; there < all.size(); ++there) {
    if (!contains(members, there)) {
      EXPECT_EQ(group.rank_of_world(there), -1);
    }
  }
  ASSERT_EQ(group.node_count(), static_cast<int>(nodes.size()));
  for (int node = 0; node < group.node_count(); ++node) {
    Ranks expected;
    for (int r = 0; r < size; ++r) {
      if (all.node_of(members[at(r)]) == nodes[at(node)]) expected.push_back(r);
    }
    EXPECT_EQ(group.ranks_on_node(node), expected);
  }
  EXPECT_THROW(group.ranks_on_node(-1), UsageError);
  EXPECT_THROW(group.ranks_on_node(group.node_count()), UsageError);
  for (const int outside : {-1, size}) {
    EXPECT_THROW(group.world_rank(outside), UsageError);
    EXPECT_THROW(group.distance(outside), UsageError);
  }
  EXPECT_EQ(group.rank_of_world(-1), -1);
  EXPECT_EQ(group.rank_of_world(all.size()), -1);
}

/// Collective calls of a group, with results that need every member.
inline void check_communication(const Group& group, const Ranks& members) {
  EXPECT_EQ(group.all_gather(world().rank()), members);
  EXPECT_EQ(group.broadcast(world().rank(), group.size() - 1), members.back());
  EXPECT_EQ(group.all_reduce(group.rank() + 1, Reduce::sum), group.size() * (group.size() + 1) / 2);
  group.barrier();
  group.sync();
}

/// One-sided operations on a segment of the group's own, from every rank to every rank.
inline void check_segment(const Group& group) {
  const int size = group.size(), me = group.rank();
  Segment segment(group, 8 * (size + 1), "of a group");
  const std::int64_t zero = 0, one = 1;
  for (int i = 0; i <= size; ++i) segment.put(me, 8 * i, Strided::contiguous(8), &zero);
  segment.sync();
  for (int to = 0; to < size; ++to) {
    segment.store(to, 8 * me, std::int64_t{100 * me + to});
    segment.accumulate(to, 8 * size, Strided::contiguous(8), ElementKind::int64, &one, &one);
    std::int64_t old = -1;
    segment.fetch_add(to, 8 * size, ElementKind::int64, &one, &old);
    EXPECT_GE(old, 1);
    EXPECT_LT(old, 2 * size);
    EXPECT_EQ(segment.address(to) != nullptr, group.on_node(to));
  }
  segment.sync();
  for (int owner = 0; owner < size; ++owner) {
    for (int from = 0; from < size; ++from)
      EXPECT_EQ(segment.load<std::int64_t>(owner, 8 * from), 100 * from + owner);
    EXPECT_EQ(segment.load<std::int64_t>(owner, 8 * size), 2 * size);
  }
  segment.sync();
  segment.close();
}

}  // namespace tessera::test
