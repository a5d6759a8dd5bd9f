// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Group, ranks_and_nodes) {
  const Group& all = world();
  int rank = -1, size = -1;
  MPI_Comm_rank(all.mpi_comm(), &rank);
  MPI_Comm_size(all.mpi_comm(), &size);
  EXPECT_EQ(all.rank(), rank);
  EXPECT_EQ(all.size(), size);
  EXPECT_FALSE(all.host().empty());

  // The same said by MPI: who shares memory, cut into pieces as the environment asks.
  MPI_Comm shared = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  int place = 0, leader = rank;
  MPI_Comm_rank(shared, &place);
  MPI_Bcast(&leader, 1, MPI_INT, 0, shared);
  MPI_Comm_free(&shared);
  const char* limit = std::getenv("TESSERA_NODE_SIZE");
  const int piece = limit != nullptr && *limit != '\0' ? place / std::atoi(limit) : 0;
  const auto leaders = all.all_gather(leader), pieces = all.all_gather(piece);
  int nodes = 0;
  std::vector<int> mates;
  for (int r = 0; r < size; ++r) {
    const auto i = static_cast<std::size_t>(r);
    int first = 0;
    while (leaders[static_cast<std::size_t>(first)] != leaders[i] ||
           pieces[static_cast<std::size_t>(first)] != pieces[i])
      ++first;
    if (first == r) {
      EXPECT_EQ(all.node_of(r), nodes) << r;
      ++nodes;
    } else {
      EXPECT_EQ(all.node_of(r), all.node_of(first)) << r;
    }
    EXPECT_EQ(all.on_node(r), leaders[i] == leader && pieces[i] == piece) << r;
    if (all.on_node(r)) mates.push_back(r);
  }
  EXPECT_EQ(all.node_count(), nodes);
  const Group node = all.node();
  EXPECT_EQ(node.size(), static_cast<int>(mates.size()));
  EXPECT_EQ(mates[static_cast<std::size_t>(node.rank())], rank);
  EXPECT_EQ(node.node_count(), 1);
  EXPECT_EQ(all.translate(mates, node), [&] {
    std::vector<int> expected(mates.size());
    std::iota(expected.begin(), expected.end(), 0);
    return expected;
  }());
  EXPECT_THROW(all.node_of(size), UsageError);
  EXPECT_THROW(all.node_of(-1), UsageError);
}

TEST(Group, split_by_color_and_key) {
  const Group& all = world();
  const int rank = all.rank(), size = all.size();
  // Even ranks in reverse order; odd ones take no part.
  const Group even = all.split(rank % 2 == 0 ? 0 : Group::no_color, -rank);
  EXPECT_EQ(static_cast<bool>(even), rank % 2 == 0);
  if (even) {
    EXPECT_EQ(even.size(), (size + 1) / 2);
    EXPECT_EQ(even.rank(), even.size() - 1 - rank / 2);
    const auto members = even.all_gather(rank);
    EXPECT_TRUE(std::is_sorted(members.rbegin(), members.rend()));
    EXPECT_EQ(even.translate(std::vector<int>{even.rank()}, all), std::vector<int>{rank});
  }
  const Group thirds = all.split(rank % 3);
  const auto members = thirds.all_gather(rank);
  for (std::size_t i = 0; i < members.size(); ++i) EXPECT_EQ(members[i], rank % 3 + 3 * static_cast<int>(i));
  std::vector<int> everyone(static_cast<std::size_t>(size)), expected(everyone.size(), -1);
  std::iota(everyone.begin(), everyone.end(), 0);
  for (std::size_t i = 0; i < members.size(); ++i)
    expected[static_cast<std::size_t>(members[i])] = static_cast<int>(i);
  EXPECT_EQ(all.translate(everyone, thirds), expected);
  EXPECT_THROW(all.translate(std::vector<int>{size}, thirds), UsageError);
  EXPECT_THROW(all.translate(std::vector<int>{-1}, thirds), UsageError);
  EXPECT_EQ(all, world());
  EXPECT_FALSE(all == thirds);

  const auto text = message_of<UsageError>([&] { all.split(rank == size - 1 ? -7 : 0); });
  EXPECT_NE(text.find("color -7 on rank " + std::to_string(size - 1)), std::string::npos) << text;
  all.barrier();
}

TEST(Group, include_in_any_order) {
  const Group& all = world();
  const int rank = all.rank(), size = all.size();
  std::vector<int> list;
  for (int r = size - 1; r >= 0; r -= 2) list.push_back(r);
  const Group part = all.include(list);
  const auto mine = std::find(list.begin(), list.end(), rank);
  EXPECT_EQ(static_cast<bool>(part), mine != list.end());
  if (part) {
    EXPECT_EQ(part.rank(), static_cast<int>(mine - list.begin()));
    EXPECT_EQ(part.all_gather(rank), list);
    int nodes = 0;
    std::vector<int> seen;
    for (int r : list) {
      if (std::find(seen.begin(), seen.end(), all.node_of(r)) == seen.end())
        seen.push_back(all.node_of(r)), ++nodes;
    }
    EXPECT_EQ(part.node_count(), nodes);
  }
  EXPECT_THROW(all.include(std::vector<int>{0, size}), UsageError);
  EXPECT_THROW(all.include(std::vector<int>{-1}), UsageError);
  EXPECT_THROW(all.include(std::vector<int>{0, 0}), UsageError);
  EXPECT_FALSE(all.include(std::vector<int>{}));
}

TEST(Group, empty_group_refuses_everything) {
  const Group none;
  EXPECT_FALSE(none);
  EXPECT_THROW(none.rank(), UsageError);
  EXPECT_THROW(none.size(), UsageError);
  EXPECT_THROW(none.mpi_comm(), UsageError);
  EXPECT_THROW(none.node(), UsageError);
  EXPECT_THROW(none.node_count(), UsageError);
  EXPECT_THROW(none.node_of(0), UsageError);
  EXPECT_THROW(none.on_node(0), UsageError);
  EXPECT_THROW(none.barrier(), UsageError);
  EXPECT_THROW(none.sync(), UsageError);
  EXPECT_THROW(none.split(0), UsageError);
  EXPECT_THROW(none.include(std::vector<int>{0}), UsageError);
  EXPECT_THROW(none.form(std::vector<int>{0}), UsageError);
  EXPECT_THROW(Group().close(), UsageError);
  EXPECT_THROW(none.ranks_on_node(0), UsageError);
  EXPECT_THROW(none.distance(0), UsageError);
  EXPECT_THROW(none.world_rank(0), UsageError);
  EXPECT_THROW(none.rank_of_world(0), UsageError);
  EXPECT_THROW(none.translate(std::vector<int>{0}, world()), UsageError);
  EXPECT_THROW(world().translate(std::vector<int>{0}, none), UsageError);
  EXPECT_THROW(none.broadcast(1, 0), UsageError);
  EXPECT_THROW(none.all_reduce(1, Reduce::sum), UsageError);
  EXPECT_THROW(none.all_gather(1), UsageError);
  EXPECT_EQ(none, Group());
}

TEST(Group, broadcast_and_gather) {
  struct Record {
    char tag;
    double value;
    int list[5];
  };
  const Group& all = world();
  const int rank = all.rank();
  for (int root = 0; root < all.size(); ++root) {
    EXPECT_EQ(all.broadcast(100 + rank, root), 100 + root);
    std::vector<double> data(1000, rank);
    all.broadcast(std::span<double>(data), root);
    EXPECT_EQ(data, std::vector<double>(1000, root));
    std::vector<float> none;
    all.broadcast(std::span<float>(none), root);
  }
  const auto records =
      all.all_gather(Record{static_cast<char>('a' + rank), rank / 4.0, {rank, 2, 3, 4, -rank}});
  for (int r = 0; r < all.size(); ++r) {
    const Record& record = records[static_cast<std::size_t>(r)];
    EXPECT_EQ(record.tag, 'a' + r);
    EXPECT_EQ(record.value, r / 4.0);
    EXPECT_EQ(record.list[4], -r);
  }
  EXPECT_THROW(all.broadcast(1, all.size()), UsageError);
  EXPECT_THROW(all.broadcast(1, -1), UsageError);
}

// Small whole numbers, so that sums and products are exact in any order.
template <class T>
T value_of(int rank, int i) {
  if constexpr (std::is_floating_point_v<T> || std::is_integral_v<T>)
    return static_cast<T>((rank * 3 + i) % 4);
  else
    return {static_cast<typename T::value_type>((rank + i) % 3 - 1),
            static_cast<typename T::value_type>(i % 2)};
}

template <class T>
T folded(Reduce operation, T a, T b) {
  switch (operation) {
    case Reduce::sum:
      return static_cast<T>(a + b);
    case Reduce::product:
      return static_cast<T>(a * b);
    default:
      break;
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (operation == Reduce::min) return std::min(a, b);
    if (operation == Reduce::max) return std::max(a, b);
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Reduce::logical_and:
        return static_cast<T>(a && b);
      case Reduce::logical_or:
        return static_cast<T>(a || b);
      case Reduce::bit_and:
        return a & b;
      case Reduce::bit_or:
        return a | b;
      case Reduce::bit_xor:
        return a ^ b;
      default:
        break;
    }
  }
  return {};
}

template <class T>
bool is_defined(Reduce operation) {
  if (operation == Reduce::sum || operation == Reduce::product) return true;
  if (operation == Reduce::min || operation == Reduce::max) return std::is_arithmetic_v<T>;
  return std::is_integral_v<T>;
}

template <class T>
void check_reductions() {
  const Group& all = world();
  constexpr Reduce operations[] = {Reduce::sum,     Reduce::product,     Reduce::min,
                                   Reduce::max,     Reduce::logical_and, Reduce::logical_or,
                                   Reduce::bit_and, Reduce::bit_or,      Reduce::bit_xor};
  for (Reduce operation : operations) {
    std::vector<T> data(11), expected(11);
    for (int i = 0; i < 11; ++i) {
      const auto at = static_cast<std::size_t>(i);
      data[at] = value_of<T>(all.rank(), i);
      expected[at] = value_of<T>(0, i);
      for (int r = 1; r < all.size(); ++r) expected[at] = folded(operation, expected[at], value_of<T>(r, i));
      const bool logical = operation == Reduce::logical_and || operation == Reduce::logical_or;
      if (all.size() == 1 && logical) expected[at] = data[at];
    }
    if (!is_defined<T>(operation)) {
      const auto text = message_of<UsageError>([&] { all.all_reduce(std::span<T>(data), operation); });
      EXPECT_NE(text.find(to_string(operation)), std::string::npos) << text;
      EXPECT_NE(text.find(to_string(element_kind<T>())), std::string::npos) << text;
      continue;
    }
    const T one = all.all_reduce(data[3], operation);
    EXPECT_EQ(one, expected[3]) << to_string(operation) << " of " << to_string(element_kind<T>());
    all.all_reduce(std::span<T>(data), operation);
    EXPECT_EQ(data, expected) << to_string(operation) << " of " << to_string(element_kind<T>());
  }
}

TEST(Group, reductions_of_all_types) {
  check_reductions<std::int32_t>();
  check_reductions<std::int64_t>();
  check_reductions<float>();
  check_reductions<double>();
  check_reductions<std::complex<float>>();
  check_reductions<std::complex<double>>();
  EXPECT_EQ(world().all_reduce((std::int64_t{1} << 40) + world().rank(), Reduce::max),
            (std::int64_t{1} << 40) + world().size() - 1);
}

TEST(Group, agree_tells_the_first_problem) {
  const Group& all = world();
  EXPECT_EQ(all.agree(""), "");
  const std::string mine = all.rank() + 1 >= all.size() - 1 ? "problem of " + std::to_string(all.rank()) : "";
  const int first = std::max(0, all.size() - 2);
  const auto said = all.agree(mine);
  EXPECT_NE(said.find("problem of " + std::to_string(first)), std::string::npos) << said;
}

TEST(Group, mismatched_calls_are_told) {
#ifndef TESSERA_TEST_CHECKS
  GTEST_SKIP() << "collective calls are not checked in this build";
#endif
  const Group& all = world();
  if (all.size() == 1) return;
  const bool odd = all.rank() == all.size() - 1;
  auto text = message_of<UsageError>([&] { odd ? all.barrier() : all.sync(); });
  EXPECT_NE(text.find("Group::barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("Group::sync"), std::string::npos) << text;
  EXPECT_THROW(all.broadcast(1, odd ? 0 : 1), UsageError);
  std::vector<double> data(odd ? 3 : 4);
  EXPECT_THROW(all.broadcast(std::span<double>(data), 0), UsageError);
  EXPECT_THROW(all.all_reduce(std::span<double>(data), Reduce::sum), UsageError);
  EXPECT_THROW(all.all_reduce(1.0, odd ? Reduce::sum : Reduce::max), UsageError);
  EXPECT_THROW(all.include(std::vector<int>{odd ? 0 : 1}), UsageError);
  EXPECT_EQ(all.all_reduce(1, Reduce::sum), all.size());
}

// Groups come and go; their last copies die in another order on every rank.
TEST(Group, many_groups) {
  const Group& all = world();
  const int rounds = 100;
  std::vector<Group> kept;
  for (int round = 0; round < rounds; ++round) {
    Group group = all.split((all.rank() + round) % 2, round % 3 == 0 ? -all.rank() : 0);
    EXPECT_EQ(group.all_reduce(1, Reduce::sum), group.size());
    if (round % 5 == all.rank() % 5) kept.push_back(std::move(group));
    if (kept.size() > 10) kept.erase(kept.begin() + all.rank());
  }
  kept.clear();
  all.sync();
  EXPECT_EQ(all.all_reduce(1, Reduce::sum), all.size());
}

// Who is where in a group, groups formed by their members alone, and groups that are closed.

using Ranks = std::vector<int>;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

bool contains(const Ranks& list, int rank) { return std::find(list.begin(), list.end(), rank) != list.end(); }

Ranks everyone() {
  Ranks list(at(world().size()));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

// Everything that can be asked about a group's members, who have these ranks in the world.
void check_members(const Group& group, const Ranks& members) {
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

// Collective calls of a group, with results that need every member.
void check_communication(const Group& group, const Ranks& members) {
  EXPECT_EQ(group.all_gather(world().rank()), members);
  EXPECT_EQ(group.broadcast(world().rank(), group.size() - 1), members.back());
  EXPECT_EQ(group.all_reduce(group.rank() + 1, Reduce::sum), group.size() * (group.size() + 1) / 2);
  group.barrier();
  group.sync();
}

// One-sided operations on a segment of the group's own: everybody to everybody.
void check_segment(const Group& group) {
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

TEST(Group, members_nodes_and_distances) {
  const Group& all = world();
  check_members(all, everyone());
  Ranks mates;
  for (int r = 0; r < all.size(); ++r) {
    if (all.on_node(r)) mates.push_back(r);
  }
  check_members(all.node(), mates);
  Ranks backwards = everyone();
  std::reverse(backwards.begin(), backwards.end());
  check_members(all.split(0, -all.rank()), backwards);
  const Group odd = all.split(all.rank() % 2);
  Ranks members;
  for (int r = all.rank() % 2; r < all.size(); r += 2) members.push_back(r);
  check_members(odd, members);
  // Ranks mean something else in a part of a part.
  Ranks part_of_part;
  for (std::size_t i = members.size(); i-- > 0;) part_of_part.push_back(members[i]);
  check_members(odd.split(0, -odd.rank()), part_of_part);
  all.sync();
}

TEST(GroupForm, is_called_by_the_members_alone) {
  const Group& all = world();
  constexpr int tag = 77;
  for (int absent = 0; absent < all.size(); ++absent) {
    // From the one after the absent on, so that the order is not the world's.
    Ranks list;
    for (int i = 1; i < all.size(); ++i) list.push_back((absent + i) % all.size());
    if (list.empty()) break;
    int done = 0;
    if (all.rank() == absent) {
      // Makes no call of Tessera's before the group has been used and closed.
      MPI_Recv(&done, 1, MPI_INT, list.front(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(done, 100 + absent);
      continue;
    }
    Group group = all.form(list);
    check_members(group, list);
    check_communication(group, list);
    check_segment(group);
    group.close();
    done = 100 + absent;
    if (all.rank() == list.front()) MPI_Send(&done, 1, MPI_INT, absent, tag, MPI_COMM_WORLD);
  }
  all.sync();
}

TEST(GroupForm, of_one_and_of_all_in_any_order) {
  const Group& all = world();
  Group alone = all.form(Ranks{all.rank()});
  check_members(alone, {all.rank()});
  check_communication(alone, {all.rank()});
  check_segment(alone);
  EXPECT_EQ(alone.distance(0), Distance::self);
  Ranks list = everyone();
  int orders = 0;
  do {
    Group group = all.form(list, orders);
    EXPECT_FALSE(group == all);
    check_members(group, list);
    check_communication(group, list);
    if (orders % 5 == 1) check_segment(group);
    group.close();
  } while (++orders < 24 && std::next_permutation(list.begin(), list.end()));
  check_communication(alone, {all.rank()});
  alone.close();
  all.sync();
}

// Lists with members in common, for any number of ranks from two on.
std::vector<Ranks> overlapping_lists() {
  const int n = world().size();
  Ranks backwards = everyone(), even;
  std::reverse(backwards.begin(), backwards.end());
  for (int r = 0; r < n; r += 2) even.push_back(r);
  return {{n - 1, 0}, backwards, even, {n / 2, n / 2 - 1}};
}

TEST(GroupForm, overlapping_groups_one_after_another_in_every_order) {
  const Group& all = world();
  if (all.size() < 2) return;
  const auto lists = overlapping_lists();
  Ranks order{0, 1, 2, 3}, closing{2, 0, 3, 1};
  do {
    // Nobody waits for anybody who is not in a list with him.
    std::vector<Group> groups(lists.size());
    for (const int i : order) {
      if (contains(lists[at(i)], all.rank())) groups[at(i)] = all.form(lists[at(i)], i % 2);
    }
    for (const int i : closing) {
      if (!groups[at(i)]) continue;
      check_members(groups[at(i)], lists[at(i)]);
      check_communication(groups[at(i)], lists[at(i)]);
      groups[at(i)].close();
    }
    std::next_permutation(closing.begin(), closing.end());
  } while (std::next_permutation(order.begin(), order.end()));
  all.sync();
}

// Half of the ranks begin with the neighbour on their right, half with the one on their left.
TEST(GroupForm, pairs_around_a_ring_at_the_same_time_under_different_tags) {
  const Group& all = world();
  const int n = all.size(), me = all.rank();
  if (n < 2) return;
  for (int round = 0; round < 10; ++round) {
    auto pair = [&](int first) {
      const Ranks list{first, (first + 1) % n};
      Group group = all.form(list, first);
      EXPECT_EQ(group.all_gather(me), list);
      return group;
    };
    Group left, right;
    const int before = (me + n - 1) % n;
    if (me % 2 == 0) {
      right = pair(me);
      left = pair(before);
    } else {
      left = pair(before);
      right = pair(me);
    }
    EXPECT_FALSE(left == right);
    EXPECT_EQ(left.rank(), 1);
    EXPECT_EQ(right.rank(), 0);
    if (me % 2 == 0) {
      right.close();
      left.close();
    } else {
      left.close();
      right.close();
    }
  }
  all.sync();
}

// Segments of all these groups at once: everybody works on those it is a member of, in an order of its own.
TEST(GroupForm, one_sided_operations_in_overlapping_groups_at_once) {
  const Group& all = world();
  if (all.size() < 2) return;
  const auto lists = overlapping_lists();
  struct Mine {
    Group group;
    Segment segment;
    std::vector<std::int64_t> added;  // at each member, by this process
  };
  std::vector<std::optional<Mine>> mine(lists.size());
  Ranks present;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!contains(lists[i], all.rank())) continue;
    Group group = all.form(lists[i]);
    Segment segment(group, 64, "shared");
    segment.store(group.rank(), 0, std::int64_t{0});
    segment.store(group.rank(), 8, std::int64_t{0});
    segment.sync();
    std::vector<std::int64_t> added(lists[i].size(), 0);
    mine[i].emplace(Mine{std::move(group), std::move(segment), std::move(added)});
    present.push_back(static_cast<int>(i));
  }
  std::int64_t next = all.rank();
  for (int round = 0; round < (all.node_count() == 1 ? 300 : 40); ++round) {
    next = (next * 1103515245 + 12345) % 2147483648;
    Mine& m = *mine[at(present[at(next / 16 % static_cast<index_t>(present.size()))])];
    const auto target = static_cast<int>(next / 1024 % m.group.size());
    const std::int64_t value = next % 1000 - 500, one = 1;
    std::int64_t old = 0;
    m.segment.accumulate(target, 0, Strided::contiguous(8), ElementKind::int64, &one, &value);
    m.segment.fetch_add(target, 8, ElementKind::int64, &value, &old);
    m.added[at(target)] += value;
  }
  // One list of places in the segments of several groups.
  std::vector<Place> places;
  std::vector<std::int64_t> values;
  for (const int i : present) {
    Mine& m = *mine[at(i)];
    for (int r = 0; r < m.group.size(); ++r) {
      places.push_back({&m.segment, r, 0});
      values.push_back(1000000 * (i + 1));
      m.added[at(r)] += values.back();
    }
  }
  std::vector<std::byte*> local;
  for (std::int64_t& value : values) local.push_back(reinterpret_cast<std::byte*>(&value));
  const std::int64_t one = 1;
  accumulate({.run = 8, .remote = places, .local = local}, ElementKind::int64, &one);
  for (const int i : present) {
    Mine& m = *mine[at(i)];
    m.segment.sync();
    m.group.all_reduce(std::span<std::int64_t>(m.added), Reduce::sum);
    for (int r = 0; r < m.group.size(); ++r) {
      EXPECT_EQ(m.segment.load<std::int64_t>(r, 0), m.added[at(r)]) << "group " << i;
      EXPECT_EQ(m.segment.load<std::int64_t>(r, 8), m.added[at(r)] - 1000000 * (i + 1) * m.group.size());
    }
    m.segment.sync();
  }
  for (const int i : present) mine[at(i)]->group.close();
  all.sync();
}

TEST(GroupForm, from_parts_of_the_world) {
  const Group& all = world();
  Group odd = all.split(all.rank() % 2, -all.rank());  // backwards
  Ranks members;
  for (int r = 0; r < odd.size(); ++r) members.push_back(odd.world_rank(r));
  // The list has ranks of the parent, not of the world.
  Ranks list(at(odd.size()));
  std::iota(list.begin(), list.end(), 0);
  std::rotate(list.begin(), list.begin() + 1, list.end());
  std::rotate(members.begin(), members.begin() + 1, members.end());
  Group formed = odd.form(list);
  check_members(formed, members);
  check_segment(formed);
  // Groups of groups.
  Group again = formed.form(Ranks{formed.rank()});
  check_members(again, {all.rank()});
  Group same = formed.split(0);
  check_members(same, members);
  check_segment(same);
  Group mates = all.node();
  Ranks near(at(mates.size()));
  std::iota(near.begin(), near.end(), 0);
  std::reverse(near.begin(), near.end());
  Group here = mates.form(near);
  EXPECT_EQ(here.node_count(), 1);
  EXPECT_EQ(here.rank(), mates.size() - 1 - mates.rank());
  check_segment(here);
  // A formed group lives without its parent.
  odd.close();
  check_members(formed, members);
  check_communication(formed, members);
  check_segment(formed);
  again.close();
  here.close();
  formed.close();
  all.sync();
}

TEST(GroupForm, bad_lists_are_refused_without_anybody_else) {
  const Group& all = world();
  const int n = all.size(), me = all.rank();
  // One rank after another, while the others wait.
  for (int turn = 0; turn < n; ++turn) {
    if (turn == me) {
      auto refuse = [&](const Ranks& list, std::initializer_list<std::string> parts) {
        const auto text = message_of<UsageError>([&] { all.form(list); });
        for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
      };
      const std::string mine = "rank " + std::to_string(me);
      refuse({}, {mine + " is not in the list"});
      if (n > 1) refuse({(me + 1) % n}, {mine + " is not in the list"});
      refuse({me, me}, {mine + " is listed twice"});
      refuse({me, n}, {"rank " + std::to_string(n) + " is not in a group of " + std::to_string(n)});
      refuse({-1, me}, {"rank -1"});
      if (n > 1) refuse({me, (me + 1) % n, me}, {mine + " is listed twice"});
      if (n > 2) refuse({(me + 1) % n, (me + 2) % n, (me + 1) % n}, {"is listed twice"});
    }
    all.barrier();
  }
  Group works = all.form(everyone());
  check_communication(works, everyone());
  works.close();
  all.sync();
}

// Copies that are let go say nothing to anybody; the others close.
TEST(GroupForm, a_dropped_handle_frees_nothing_and_needs_nobody) {
  const Group& all = world();
  Ranks list = everyone();
  std::rotate(list.begin(), list.begin() + all.size() / 2, list.end());
  std::optional<Segment> kept;
  {
    const Group group = all.form(list);
    kept.emplace(group, 64, "kept");
    kept->store((group.rank() + 1) % group.size(), 0, std::int64_t{all.rank()});
    kept->sync();
  }
  // A segment keeps its group usable.
  const Group& group = kept->group();
  check_members(group, list);
  EXPECT_EQ(kept->load<std::int64_t>((group.rank() + 1) % group.size(), 0), all.rank());
  kept->sync();
  kept->close();
  all.sync();
}

TEST(GroupForm, many_groups_are_formed_and_closed) {
  const Group& all = world();
  all.sync();
  const index_t before = runtime().memory_in_use();
  const int n = all.size(), rounds = n <= 4 ? 120 : 30;
  for (int round = 0; round < rounds; ++round) {
    Ranks list;
    for (int i = 0; i < n; ++i) {
      const int r = (i + round) % n;
      if (n == 1 || r != round % 7 % n) list.push_back(r);
    }
    if (!contains(list, all.rank())) continue;
    Group group = all.form(list, round);
    EXPECT_EQ(group.all_reduce(1, Reduce::sum), static_cast<int>(list.size()));
    if (round % 4 == 0) {
      Segment segment(group, 100000, "passing");
      segment.store(0, 8 * group.rank(), 1.0);
      EXPECT_GT(runtime().memory_in_use(), before);
    }
    group.close();
    EXPECT_EQ(runtime().memory_in_use(), before);
  }
  all.sync();
}

template <class Make>
void check_close(Make&& make) {
  const Group& all = world();
  all.sync();
  const index_t before = runtime().memory_in_use();
  Group group = make();
  const Group copy = group, child = group.split(group.rank() % 2);
  EXPECT_EQ(copy, group);
  Segment segment(group, 1 << 17, "closed with its group"), of_child(child, 64, "closed with its parent");
  const Segment other(all, 64, "open");
  std::vector<double> values(1 << 14, 1.5), found(1 << 14, 0.0);
  segment.put((group.rank() + 1) % group.size(), 0, Strided::contiguous(1 << 17), values.data());
  segment.sync();
  // Under way when the group is closed.
  segment.get_async(group.rank(), 0, Strided::contiguous(1 << 17), found.data()).detach();
  group.close();
  EXPECT_EQ(found, values);
  EXPECT_FALSE(segment.is_open());
  EXPECT_FALSE(of_child.is_open());
  EXPECT_TRUE(other.is_open());
  EXPECT_THROW(segment.store(0, 0, 1.0), UsageError);
  EXPECT_THROW(segment.sync(), UsageError);
  EXPECT_THROW(of_child.load<double>(0, 0), UsageError);
  for (const Group* closed : {&copy, static_cast<const Group*>(&group), &child}) {
    EXPECT_TRUE(*closed);
    EXPECT_THROW(closed->barrier(), UsageError);
    EXPECT_THROW(closed->sync(), UsageError);
    EXPECT_THROW(closed->split(0), UsageError);
    EXPECT_THROW(closed->form(Ranks{0}), UsageError);
    EXPECT_THROW(closed->all_gather(1), UsageError);
    EXPECT_THROW(closed->mpi_comm(), UsageError);
    EXPECT_THROW(Segment(*closed, 64), UsageError);
  }
  EXPECT_THROW(group.close(), UsageError);
  EXPECT_EQ(runtime().memory_in_use(), before + 64);
  all.sync();
  check_communication(all, everyone());
}

TEST(GroupClose, frees_what_belongs_to_the_group_and_ends_its_copies) {
  const Group& all = world();
  Ranks backwards = everyone();
  std::reverse(backwards.begin(), backwards.end());
  check_close([&] { return all.form(backwards); });
  check_close([&] { return all.split(all.rank() % 2); });
  check_close([&] { return all.include(backwards); });
  check_close([&] { return all.form(Ranks{all.rank()}); });
}

TEST(GroupClose, is_refused_for_the_world_and_for_a_node) {
  Group all = world(), mates = all.node();
  EXPECT_NE(message_of<UsageError>([&] { all.close(); }).find("world"), std::string::npos);
  EXPECT_THROW(mates.close(), UsageError);
  Ranks backwards = everyone();
  std::reverse(backwards.begin(), backwards.end());
  Group formed = all.form(backwards);
  if (formed.node_count() > 1) {
    Group part = formed.node();
    EXPECT_THROW(part.close(), UsageError);
  }
  check_members(formed, backwards);
  check_communication(formed, backwards);
  check_segment(formed);
  formed.close();
  check_communication(all, everyone());
  all.sync();
}

// Closed in another order than made; what is left goes with the parent's next collective calls.
TEST(GroupClose, in_any_order_among_groups_that_are_dropped) {
  const Group& all = world();
  for (int round = 0; round < 10; ++round) {
    std::vector<Group> groups;
    for (int i = 0; i < 6; ++i) {
      groups.push_back(i % 2 == 0 ? all.split(0, i * all.rank()) : all.form(everyone(), i));
      check_communication(groups.back(), everyone());
    }
    for (const int i : {4, 1, 0, 5, 3}) groups[at(i)].close();
    check_communication(groups[2], everyone());
    groups.clear();
    all.sync();
  }
  check_communication(all, everyone());
}

}  // namespace
