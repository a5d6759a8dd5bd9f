// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "base/verb.hpp"
#include "completion/ordering.hpp"
#include "completion/under_way.hpp"

// The rules of order in docs/runtime/transfers.md.
namespace {

using namespace tessera;
using namespace tessera::detail;

constexpr Path paths[] = {Path::node, Path::window, Path::agent};
constexpr Operation operations[] = {Operation::put, Operation::get, Operation::accumulate, Operation::atomic};

TEST(Ordering, what_writes_by_the_window_comes_after_anything_by_an_agent_and_what_reads_after_its_writes) {
  EXPECT_EQ(order_of(Path::window, Operation::put).after & by_agent, by_agent);
  EXPECT_EQ(order_of(Path::window, Operation::get).after & by_agent, unsigned{agent_write});
}

TEST(Ordering, what_writes_by_an_agent_comes_after_anything_by_the_window_and_what_reads_after_its_writes) {
  for (const Operation operation : {Operation::put, Operation::accumulate, Operation::atomic})
    EXPECT_EQ(order_of(Path::agent, operation).after, by_window) << to_string(operation);
  EXPECT_EQ(order_of(Path::agent, Operation::get).after, window_writes);
}

TEST(Ordering, by_the_window_nothing_overtakes_what_writes_but_accumulates_among_each_other) {
  EXPECT_EQ(order_of(Path::window, Operation::put).after & by_window, by_window);
  EXPECT_EQ(order_of(Path::window, Operation::get).after & by_window, window_writes);
  for (const Operation operation : {Operation::accumulate, Operation::atomic})
    EXPECT_EQ(order_of(Path::window, operation).after & by_window, window_put | window_get);
}

TEST(Ordering, an_agent_is_never_asked_because_of_what_it_was_sent) {
  for (const Operation operation : operations)
    EXPECT_EQ(order_of(Path::agent, operation).after & by_agent, 0U) << to_string(operation);
}

TEST(Ordering, copies_on_the_node_come_after_accumulates_of_the_window) {
  EXPECT_EQ(order_of(Path::node, Operation::put).after, unsigned{window_accumulate});
  EXPECT_EQ(order_of(Path::node, Operation::get).after, unsigned{window_accumulate});
}

TEST(Ordering, only_what_goes_to_another_node_leaves_something_under_way) {
  for (const Path path : paths) {
    for (const Operation operation : operations)
      EXPECT_EQ(order_of(path, operation).leaves != 0, path != Path::node)
          << to_string(path) << to_string(operation);
  }
}

TEST(Ordering, every_verb_is_counted_as_what_users_know) {
  EXPECT_EQ(counted_as(Verb::put), Operation::put);
  EXPECT_EQ(counted_as(Verb::get), Operation::get);
  EXPECT_EQ(counted_as(Verb::accumulate), Operation::accumulate);
  for (const Verb verb : {Verb::update, Verb::compare_exchange, Verb::load})
    EXPECT_EQ(counted_as(verb), Operation::atomic);
}

TEST(UnderWay, marks_are_kept_for_members_talked_to_only) {
  UnderWay marks;
  EXPECT_TRUE(marks.is_empty());
  marks.add(7, 0);
  EXPECT_TRUE(marks.is_empty());
  marks.add(7, window_put);
  marks.add(7, agent_read);
  EXPECT_FALSE(marks.is_empty());
  EXPECT_EQ(marks.of(7), unsigned{window_put | agent_read});
  EXPECT_EQ(marks.of(6), 0U);
  marks.clear(7);
  EXPECT_TRUE(marks.is_empty());
}

}  // namespace
