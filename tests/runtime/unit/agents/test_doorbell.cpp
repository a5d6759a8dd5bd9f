// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>

#include <gtest/gtest.h>

#include "agents/doorbell.hpp"

namespace {

using namespace std::chrono_literals;
using tessera::detail::Doorbell;
using tessera::detail::Mailbox;

constexpr auto long_enough = 5s;  // a datagram on this host takes some microseconds

TEST(Doorbell, wakes_at_a_ring_and_forgets_it) {
  const Doorbell caller;
  Doorbell bell;
  EXPECT_FALSE(bell.was_rung());
  EXPECT_FALSE(bell.wait(1ms));
  Doorbell::Address address;
  static_cast<Mailbox::Address&>(address) = bell.address();
  caller.ring(address);
  EXPECT_TRUE(bell.wait(long_enough));
  EXPECT_FALSE(bell.was_rung());
  EXPECT_FALSE(bell.wait(1ms));
}

TEST(Doorbell, wakes_at_a_nudge_now_or_later_unless_it_is_called_off) {
  Doorbell bell;
  bell.nudge();
  bell.nudge();
  EXPECT_TRUE(bell.wait(long_enough));
  EXPECT_FALSE(bell.wait(1ms)) << "nudges add up to one";
  bell.nudge_after(2ms);
  EXPECT_TRUE(bell.wait(long_enough));
  bell.nudge_after(20ms);
  bell.call_off();
  EXPECT_FALSE(bell.wait(60ms));
}

}  // namespace
