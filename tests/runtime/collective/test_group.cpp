// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "group_checks.hpp"
#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Group, ranks_and_nodes_are_those_of_mpi) {
  const Group& all = world();
  int rank = -1, size = -1;
  MPI_Comm_rank(all.mpi_comm(), &rank);
  MPI_Comm_size(all.mpi_comm(), &size);
  EXPECT_EQ(all.rank(), rank);
  EXPECT_EQ(all.size(), size);
  EXPECT_FALSE(all.host().empty());

  // The same from MPI: the ranks that share memory, cut into pieces as the environment asks.
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

TEST(Group, members_nodes_and_distances_follow_the_list_of_ranks) {
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
  // A part of a part has ranks of its own.
  Ranks part_of_part;
  for (std::size_t i = members.size(); i-- > 0;) part_of_part.push_back(members[i]);
  check_members(odd.split(0, -odd.rank()), part_of_part);
  all.sync();
}

TEST(Group, split_orders_ranks_by_color_and_key) {
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

TEST(Group, include_keeps_the_order_of_the_list) {
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

TEST(Group, broadcast_and_gather_give_every_rank_the_same) {
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
      if (all.size() == 1 && logical) expected[at] = data[at] != T{} ? T{1} : T{};
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

TEST(Group, reductions_of_all_types_equal_a_serial_model) {
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
  text = message_of<UsageError>([&] { all.broadcast(1, odd ? 0 : 1); });
  EXPECT_NE(text.find("of 4 bytes from rank 0"), std::string::npos) << text;
  EXPECT_NE(text.find("of 4 bytes from rank 1"), std::string::npos) << text;
  text = message_of<UsageError>([&] { all.check_agreement("alike", odd ? 1 : 2); });
  EXPECT_NE(text.find("with arguments that differ"), std::string::npos) << text;
  std::vector<double> data(odd ? 3 : 4);
  EXPECT_THROW(all.broadcast(std::span<double>(data), 0), UsageError);
  EXPECT_THROW(all.all_reduce(std::span<double>(data), Reduce::sum), UsageError);
  EXPECT_THROW(all.all_reduce(1.0, odd ? Reduce::sum : Reduce::max), UsageError);
  EXPECT_THROW(all.include(std::vector<int>{odd ? 0 : 1}), UsageError);
  EXPECT_EQ(all.all_reduce(1, Reduce::sum), all.size());
}

// Groups come and go. Their last copies are destroyed in a different order on every rank.
TEST(Group, many_groups_are_made_and_dropped) {
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

// A process may open only a thousand files, and a program may have as many groups.
TEST(Group, needs_no_file_while_it_lives) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const char* method = std::getenv("TESSERA_SHARED_MEMORY");
  if (method != nullptr && std::string(method) == "mpi") GTEST_SKIP() << "MPI's own memory may need some";
  const Group& all = world();
  std::vector<Group> kept{all.split(0)};  // opens the files that are opened once
  const auto before = open_files();
  for (int i = 0; i < 30; ++i) {
    kept.push_back(all.split(0));
    kept.back().sync();
  }
  EXPECT_LT(open_files(), before + 15);
}

}  // namespace
