// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "node/mailbox.hpp"

// Datagrams within this process.
namespace {

using namespace std::chrono_literals;
using tessera::detail::Mailbox;

constexpr auto soon = 5s;  // a datagram on this host takes some microseconds

// Waits for a datagram; negative if none comes.
std::ptrdiff_t receive_soon(const Mailbox& box, std::span<char> room) {
  const auto limit = std::chrono::steady_clock::now() + soon;
  std::ptrdiff_t bytes = -1;
  while ((bytes = box.receive(room)) < 0 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  return bytes;
}

TEST(Mailbox, delivers_datagrams_cut_to_the_room) {
  const Mailbox sender, receiver;
  ASSERT_NE(receiver.address().port, 0);
  std::array<char, 4> room{};
  EXPECT_LT(receiver.receive(room), 0) << "nothing was sent";
  sender.send(receiver.address(), std::string_view("abc"));
  EXPECT_EQ(receive_soon(receiver, room), 3);
  EXPECT_EQ(std::string_view(room.data(), 3), "abc");
  sender.send(receiver.address(), std::string_view("defghi"));
  EXPECT_EQ(receive_soon(receiver, room), 4);
  EXPECT_EQ(std::string_view(room.data(), 4), "defg");
  EXPECT_LT(receiver.receive(room), 0) << "the rest is lost";
  EXPECT_LT(sender.receive(room), 0);
}

TEST(Mailbox, sends_nothing_to_an_address_without_a_port) {
  const Mailbox box;
  Mailbox::Address nobody = box.address();
  nobody.port = 0;
  box.send(nobody, std::string_view("lost"));
  std::array<char, 4> room{};
  EXPECT_LT(box.receive(room), 0);
}

}  // namespace
