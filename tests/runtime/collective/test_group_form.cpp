// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "group_checks.hpp"
#include "mpi_test.hpp"

// Groups formed by their members alone.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST(GroupForm, is_called_by_the_members_alone) {
  const Group& all = world();
  constexpr int tag = 77;
  for (int absent = 0; absent < all.size(); ++absent) {
    // Begins after the absent rank, so that the order is not the world's.
    Ranks list;
    for (int i = 1; i < all.size(); ++i) list.push_back((absent + i) % all.size());
    if (list.empty()) break;
    int done = 0;
    if (all.rank() == absent) {
      // The absent rank makes no call of Tessera before the group has been used and closed.
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

// A member that waits in form() serves a member that first accesses its memory and comes later.
TEST(GroupForm, members_that_wait_serve) {
  const Group& all = world();
  if (all.size() < 2) return;
  Segment segment(all, 4096, "served");
  for (int late = 0; late < all.size(); ++late) {
    segment.store(all.rank(), 0, std::int64_t{100 + all.rank()});
    segment.sync();
    const int other = (late + 1) % all.size();
    if (all.rank() != late && all.rank() != other) continue;
    if (all.rank() == late) {
      // Gives the other rank time to begin to wait.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::int64_t one = 1;
      std::int64_t old = 0;
      segment.accumulate(other, 0, Strided::contiguous(8), ElementKind::int64, &one, &one);
      segment.flush(other);
      segment.get(other, 0, Strided::contiguous(8), &old);
      EXPECT_EQ(old, 101 + other);
    }
    Group pair = all.form(Ranks{other, late}, late);
    EXPECT_EQ(pair.all_reduce(1, Reduce::sum), 2);
    pair.close();
  }
  all.sync();
}

TEST(GroupForm, groups_of_one_and_of_all_form_in_any_order) {
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

TEST(GroupForm, overlapping_groups_form_one_after_another_in_every_order) {
  const Group& all = world();
  if (all.size() < 2) return;
  const auto lists = overlapping_lists();
  Ranks order{0, 1, 2, 3}, closing{2, 0, 3, 1};
  do {
    // A rank waits only for ranks that are in a list with it.
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

// Half of the ranks begin with their right neighbour, half with their left neighbour.
TEST(GroupForm, pairs_around_a_ring_form_at_the_same_time_under_different_tags) {
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

// A group with a segment of its own, and what this process has added at each member.
struct CountedGroup {
  Group group;
  Segment segment;
  std::vector<std::int64_t> added;
};

// Adds to every member of several groups by one list of places.
void accumulate_in_one_list(std::vector<std::optional<CountedGroup>>& mine, const Ranks& present) {
  std::vector<Place> places;
  std::vector<std::int64_t> values;
  for (const int i : present) {
    CountedGroup& m = *mine[at(i)];
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
}

// Segments of all these groups at once. Each rank works on the segments of its groups in an order of its own.
TEST(GroupForm, one_sided_operations_in_overlapping_groups_lose_nothing) {
  const Group& all = world();
  if (all.size() < 2) return;
  const auto lists = overlapping_lists();
  std::vector<std::optional<CountedGroup>> mine(lists.size());
  Ranks present;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!contains(lists[i], all.rank())) continue;
    Group group = all.form(lists[i]);
    Segment segment(group, 64, "shared");
    segment.store(group.rank(), 0, std::int64_t{0});
    segment.store(group.rank(), 8, std::int64_t{0});
    segment.sync();
    std::vector<std::int64_t> added(lists[i].size(), 0);
    mine[i].emplace(CountedGroup{std::move(group), std::move(segment), std::move(added)});
    present.push_back(static_cast<int>(i));
  }
  std::int64_t next = all.rank();
  for (int round = 0; round < (all.node_count() == 1 ? 300 : 40); ++round) {
    next = (next * 1103515245 + 12345) % 2147483648;
    CountedGroup& m = *mine[at(present[at(next / 16 % static_cast<index_t>(present.size()))])];
    const auto target = static_cast<int>(next / 1024 % m.group.size());
    const std::int64_t value = next % 1000 - 500, one = 1;
    std::int64_t old = 0;
    m.segment.accumulate(target, 0, Strided::contiguous(8), ElementKind::int64, &one, &value);
    m.segment.fetch_add(target, 8, ElementKind::int64, &value, &old);
    m.added[at(target)] += value;
  }
  accumulate_in_one_list(mine, present);
  for (const int i : present) {
    CountedGroup& m = *mine[at(i)];
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

TEST(GroupForm, the_list_has_ranks_of_the_parent) {
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
      // Tags that MPI does not have, or that would stand for another tag.
      for (const int tag : {-1, std::numeric_limits<int>::min(), 16384, std::numeric_limits<int>::max()}) {
        const auto text = message_of<UsageError>([&] { all.form(Ranks{me}, tag); });
        EXPECT_NE(text.find("tag " + std::to_string(tag)), std::string::npos) << text;
      }
    }
    all.barrier();
  }
  Group works = all.form(everyone(), 16383);
  check_communication(works, everyone());
  works.close();
  all.sync();
}

// A dropped handle tells no other rank and frees nothing. The other handles can be closed.
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

}  // namespace
