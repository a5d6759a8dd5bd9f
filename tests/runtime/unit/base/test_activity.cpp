// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <thread>

#include <pthread.h>

#include <gtest/gtest.h>

#include "base/activity.hpp"

// The record of a process's calls and waits, which the watchdog reads.
namespace {

namespace activity = tessera::detail::activity;

// Asks for the record while a test runs.
class ActivityTest : public testing::Test {
 protected:
  void SetUp() override { activity::ask(); }
  void TearDown() override { activity::forget(); }
};

TEST(Activity, is_recorded_only_while_it_is_asked_for) {
  const auto before = activity::look();
  activity::called("unheard");
  { const activity::Wait wait("unseen"); }
  EXPECT_EQ(activity::look().steps, before.steps);
  activity::ask();
  activity::ask();
  activity::forget();
  EXPECT_TRUE(activity::is_asked()) << "another Runtime still asks";
  activity::called("heard");
  EXPECT_EQ(activity::look().last_call, "heard");
  EXPECT_EQ(activity::look().calls, before.calls + 1);
  activity::forget();
  EXPECT_FALSE(activity::is_asked());
}

TEST_F(ActivityTest, steps_grow_with_calls_and_with_waits_that_begin_or_end) {
  const auto before = activity::look().steps;
  activity::called("a call");
  EXPECT_EQ(activity::look().steps, before + 1);
  {
    const activity::Wait wait("a flag", 3);
    EXPECT_EQ(activity::look().steps, before + 2);
  }
  EXPECT_EQ(activity::look().steps, before + 3);
}

TEST_F(ActivityTest, waits_nest_and_the_outermost_comes_first) {
  const activity::Wait outer("a barrier");
  {
    const activity::Wait inner("a rank", 5);
    const auto waits = activity::look().waits;
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_STREQ(waits[0].what, "a barrier");
    EXPECT_EQ(waits[0].from, -1);
    EXPECT_STREQ(waits[1].what, "a rank");
    EXPECT_EQ(waits[1].from, 5);
    EXPECT_EQ(waits[1].where, &inner);
    EXPECT_TRUE(pthread_equal(waits[1].thread, pthread_self()));
  }
  ASSERT_EQ(activity::look().waits.size(), 1U);
  EXPECT_EQ(activity::look().waits[0].where, &outer);
}

TEST(Activity, a_wait_that_began_unrecorded_ends_unrecorded) {
  {
    const activity::Wait wait("early");
    activity::ask();
    EXPECT_TRUE(activity::look().waits.empty());
  }
  EXPECT_TRUE(activity::look().waits.empty());
  activity::forget();
}

TEST_F(ActivityTest, waits_of_several_threads_are_all_there) {
  const activity::Wait mine("mine");
  std::thread([] {
    const activity::Wait other("other");
    const auto waits = activity::look().waits;
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_FALSE(pthread_equal(waits[0].thread, waits[1].thread));
  }).join();
  EXPECT_EQ(activity::look().waits.size(), 1U);
}

}  // namespace
