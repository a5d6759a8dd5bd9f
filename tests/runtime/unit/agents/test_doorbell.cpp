// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>

#include <gtest/gtest.h>
#include <unistd.h>

#include "agents/doorbell.hpp"

namespace {

using namespace std::chrono_literals;
using tessera::detail::Doorbell;
using tessera::detail::Mailbox;
using Woken = Doorbell::Woken;

constexpr auto long_enough = 5s;  // a datagram on this host takes some microseconds

TEST(Doorbell, wakes_at_a_ring_and_forgets_it) {
  const Doorbell caller;
  Doorbell bell;
  EXPECT_FALSE(bell.was_rung());
  EXPECT_EQ(bell.wait(1ms), Woken::by_time);
  Doorbell::Address address;
  static_cast<Mailbox::Address&>(address) = bell.address();
  caller.ring(address);
  EXPECT_EQ(bell.wait(long_enough), Woken::by_bell);
  EXPECT_FALSE(bell.was_rung());
  EXPECT_EQ(bell.wait(1ms), Woken::by_time);
}

TEST(Doorbell, wakes_at_a_nudge_now_or_later_unless_it_is_called_off) {
  Doorbell bell;
  bell.nudge();
  bell.nudge();
  EXPECT_EQ(bell.wait(long_enough), Woken::by_bell);
  EXPECT_EQ(bell.wait(1ms), Woken::by_time) << "nudges add up to one";
  bell.nudge_after(2ms);
  EXPECT_EQ(bell.wait(long_enough), Woken::by_bell);
  bell.nudge_after(20ms);
  bell.call_off();
  EXPECT_EQ(bell.wait(60ms), Woken::by_time);
}

TEST(Doorbell, wakes_when_one_of_some_descriptors_is_readable) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Doorbell bell;
  const int watched[] = {ends[0]};
  EXPECT_EQ(bell.wait(1ms, watched), Woken::by_time);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(bell.wait(long_enough, watched), Woken::by_event);
  bell.nudge();
  EXPECT_EQ(bell.wait(long_enough, watched), Woken::by_bell) << "a nudge counts more";
  EXPECT_EQ(bell.wait(long_enough, watched), Woken::by_event) << "nothing was read";
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
