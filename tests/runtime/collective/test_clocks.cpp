// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <thread>
#include <vector>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>

#include "clock_model.hpp"
#include "order/held_mutexes.hpp"
#include "order/unseen_order.hpp"
#include "random_transfer.hpp"

// The clocks after Tessera's own synchronisation.
namespace {

using namespace tessera;
using namespace tessera::test;
namespace order = tessera::detail::order;

TEST(Clocks, are_on_and_have_a_component_for_each_rank) {
  EXPECT_TRUE(order::clocks_on());
  EXPECT_EQ(order::clock().size(), 2 * at(world().size()));  // events and notices
  EXPECT_EQ(order::clock()[at(world().rank())], order::stamp());
  EXPECT_TRUE(order::unseen_order().empty()) << order::unseen_order().begin()->first;
}

TEST(Clocks, own_component_advances) {
  const std::uint64_t before = order::stamp();
  EXPECT_EQ(order::tick(), before + 1);
  EXPECT_EQ(order::release_clock()[at(world().rank())], before + 1);
  EXPECT_EQ(order::stamp(), before + 2);
}

TEST(Clocks, version_changes_with_the_other_components) {
  VectorClock other = order::clock();
  const std::uint64_t before = order::clock_version();
  order::merge_clock(other);
  EXPECT_EQ(order::clock_version(), before);
  if (world().size() == 1) return;
  const std::vector<std::uint64_t> all = world().all_gather(order::stamp());
  EXPECT_NE(order::clock_version(), before);
}

// Each kind of collective call, with a root that changes.
void call_all_kinds(const Group& group, const std::vector<int>& members, int round, ClockModel& model) {
  const int root = round % group.size();
  const std::vector<int> only_root{members[at(root)]};
  for (const int r : members) event_of(r, model);
  group.barrier();
  model.collective(members);
  model.check("barrier");
  for (const int r : members) event_of(r, model);
  group.broadcast(1.0, root);
  model.collective(only_root, members);
  model.check("broadcast");
  for (const int r : members) event_of(r, model);
  group.reduce(1.0, Reduce::sum, root);
  model.collective(members, only_root);
  model.check("reduce");
  event_of(members[at(root)], model);
  group.all_reduce(1.0, Reduce::sum);
  model.collective(members);
  model.check("all_reduce");
  event_of(members[at(root)], model);
  group.all_gather(1.0);
  model.collective(members);
  model.check("all_gather");
  event_of(members[at(root)], model);
  group.sync();
  model.collective(members);
  model.check("sync");
}

TEST(Clocks, collective_calls_carry_them) {
  ClockModel model;
  for (int round = 0; round < 5; ++round) call_all_kinds(world(), everybody(), round, model);
}

TEST(Clocks, groups_of_some_ranks_leave_the_others_alone) {
  const Group half = world().split(world().rank() % 2);
  Group formed;
  if (world().rank() == 0) formed = world().form(std::vector{0});
  ClockModel model;
  for (int round = 0; round < 3; ++round) {
    for (const int colour : {0, 1}) {
      std::vector<int> members;
      for (const int r : everybody()) {
        if (r % 2 == colour) members.push_back(r);
      }
      if (members.empty()) continue;
      if (world().rank() % 2 == colour) {
        call_all_kinds(half, members, round, model);
        continue;
      }
      // The model of the others.
      const std::vector<int> root{members[at(round) % members.size()]};
      const auto events = [&](const std::vector<int>& ranks) {
        for (const int r : ranks) model.event(r);
      };
      events(members), model.collective(members);
      events(members), model.collective(root, members);
      events(members), model.collective(members, root);
      for (int call = 0; call < 3; ++call) events(root), model.collective(members);
      model.check("calls of other ranks");
    }
  }
}

TEST(Clocks, flags_carry_the_clock_of_the_notifier) {
  // A flag for each notifier: otherwise a wait could not tell whose notification has come.
  Flags flags(world(), world().size());
  ClockModel model;
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    const int from = static_cast<int>(pick(random, 0, world().size() - 1));
    const int to = static_cast<int>(pick(random, 0, world().size() - 1));
    const index_t flag = from, times = pick(random, 1, 3);
    for (index_t n = 0; n < times; ++n) {
      event_of(from, model);
      if (world().rank() == from) flags.notify(to, flag);
      model.message(from, to);
    }
    if (world().rank() == to) flags.wait(flag, times);
    model.check("a notification");
  }
}

TEST(Clocks, put_notify_carries_the_clock_to_its_flag) {
  Segment segment(world(), 64, "data");
  Flags flags(world(), 2);
  const std::vector<std::uint64_t> earlier = world().all_gather(tessera::detail::new_notice());
  ClockModel model;
  for (int from = 0; from < world().size(); ++from) {
    const int to = (from + 1) % world().size();
    event_of(from, model);
    const double value = from;
    if (world().rank() == from) put_notify(segment, to, 8, Strided::contiguous(8), &value, flags.at(to, 1));
    model.message_of_notice(from, to, earlier[at(from)] + 1);
    if (world().rank() == to) {
      EXPECT_EQ(flags.wait_any(std::vector<index_t>{0, 1}), 1);
    }
    model.check("put_notify");
  }
}

// A notification that the rank has not waited for is no order.
TEST(Clocks, only_a_wait_takes_the_clock) {
  if (world().size() == 1) return;
  Flags flags(world(), 2);
  ClockModel model;
  event_of(1, model);
  VectorClock second;
  if (world().rank() == 1) flags.notify(0, 0), flags.notify(0, 1);
  const VectorClock first = model.sent(1);
  second = model.sent(1);
  if (world().rank() == 0) flags.wait(0);
  model.received(0, first);
  model.check("the wait for the first flag");
  if (world().rank() == 0) {
    while (!flags.test(1)) std::this_thread::yield();
  }
  model.received(0, second);
  model.check("the test of the second flag");
}

TEST(Clocks, mutexes_are_no_order_but_are_noted) {
  Mutexes mutexes(world(), 3);
  Mutexes others(world(), 1);
  ClockModel model;
  EXPECT_TRUE(order::held_mutexes().empty());
  mutexes.lock(2);
  others.lock(0);
  EXPECT_TRUE(mutexes.try_lock(1) || world().size() > 1);
  const auto held = order::held_mutexes();
  EXPECT_GE(held.size(), 2u);
  EXPECT_TRUE(std::is_sorted(held.begin(), held.end()));
  EXPECT_EQ(std::count_if(held.begin(), held.end(), [](const auto& one) { return one.index == 2; }), 1);
  std::thread([] { EXPECT_TRUE(order::held_mutexes().empty()); }).join();
  for (const auto& one : held) {
    if (one.index == 1) mutexes.unlock(1);
  }
  others.unlock(0);
  mutexes.unlock(2);
  EXPECT_TRUE(order::held_mutexes().empty());
  model.check("mutexes");
  // The sets have the same numbers on all ranks, which differ.
  const auto numbers = world().all_gather(held.front().set);
  for (const auto number : numbers) EXPECT_EQ(number, numbers.front());
}

}  // namespace
