// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

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

// A socket of another program, which sees the port but does not know the secret.
class Stranger {
 public:
  explicit Stranger(const Mailbox& box) {
    to_.sin_family = AF_INET;
    to_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to_.sin_port = box.address().port;
  }
  void send(std::string_view data) const {
    sendto(socket_.get(), data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&to_), sizeof to_);
  }

 private:
  tessera::detail::Fd socket_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to_{};
};

bool is_readable(const Mailbox& box, std::chrono::milliseconds time) {
  pollfd fd{box.descriptor(), POLLIN, 0};
  return poll(&fd, 1, static_cast<int>(time.count())) > 0;
}

TEST(Mailbox, does_not_hear_strangers) {
  const Mailbox sender, box;
  const std::uint64_t secret = box.address().secret;
  EXPECT_NE(secret, sender.address().secret);
  const std::string_view known(reinterpret_cast<const char*>(&secret), sizeof secret);
  const Stranger stranger(box);
  stranger.send("");
  stranger.send("x");
  stranger.send(known.substr(0, 7));
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::string wrong(known);
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    stranger.send(wrong + "payload");
  }
  EXPECT_FALSE(is_readable(box, 50ms)) << "the kernel drops them";
  std::array<char, 16> room{};
  EXPECT_LT(box.receive(room), 0);
  stranger.send(std::string(known) + "told");  // what sends do
  EXPECT_EQ(receive_soon(box, room), 4);
  EXPECT_EQ(std::string_view(room.data(), 4), "told");
  sender.send(box.address(), std::string_view("a"));
  EXPECT_TRUE(is_readable(box, 5s));
  EXPECT_EQ(box.receive(room), 1);
}

TEST(Mailbox, a_flood_of_strangers_neither_wakes_nor_holds_up) {
  const Mailbox sender, box;
  std::atomic<bool> stop = false;
  std::thread flood([&] {
    const Stranger stranger(box);
    while (!stop) stranger.send("not for you");
  });
  EXPECT_FALSE(is_readable(box, 50ms));
  std::array<char, 8> room{};
  for (int i = 0; i < 100; ++i) {
    sender.send(box.address(), std::string_view("b"));
    EXPECT_EQ(receive_soon(box, room), 1);
  }
  stop = true;
  flood.join();
}

}  // namespace
