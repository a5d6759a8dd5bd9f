// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/detail/member_messages.hpp>
#include <tessera/runtime/scalars.hpp>

#include "mpi_test.hpp"

// Messages between members that make the same collective call.
namespace {

using namespace tessera;
using detail::Channel;
using detail::MemberMessages;
using detail::Pace;
using test::world;

// Lengths of the messages between each pair: none, short ones, and some that MPI does not send at once.
constexpr index_t message_lengths[] = {1, 0, 1000, 8, 100000, 17, 500000};

std::uint8_t byte_of(int from, int to, int channel, std::size_t message, index_t at) {
  return static_cast<std::uint8_t>(from * 31 + to * 17 + channel * 7 + static_cast<int>(message) * 5 +
                                   at % 251);
}

void exchange(const Group& group) {
  MemberMessages messages(group);
  struct One {
    int rank, channel;
    std::size_t message;
    std::vector<std::uint8_t> sent, received;
  };
  std::vector<One> all;
  for (int r = 0; r < group.size(); ++r) {
    for (const int channel : {0, 1}) {
      for (std::size_t m = 0; m < std::size(message_lengths); ++m) {
        const auto length = static_cast<std::size_t>(message_lengths[m]);
        One& one = all.emplace_back(r, channel, m, std::vector<std::uint8_t>(length),
                                    std::vector<std::uint8_t>(length));
        for (std::size_t i = 0; i < length; ++i)
          one.sent[i] = byte_of(group.rank(), r, channel, m, static_cast<index_t>(i));
      }
    }
  }
  // Channels do not wait for each other: the second one is sent first.
  for (One& one : all)
    messages.receive(one.rank, Channel{one.channel}, one.received.data(), message_lengths[one.message]);
  for (const int channel : {1, 0}) {
    for (const One& one : all) {
      if (one.channel == channel)
        messages.send(one.rank, Channel{channel}, one.sent.data(), message_lengths[one.message],
                      one.message % 2 == 0 ? Pace::answered : Pace::received);
    }
  }
  messages.wait();
  for (const One& one : all) {
    for (std::size_t i = 0; i < one.received.size(); ++i) {
      ASSERT_EQ(one.received[i],
                byte_of(one.rank, group.rank(), one.channel, one.message, static_cast<index_t>(i)))
          << "message " << one.message << " of rank " << one.rank << ", byte " << i;
    }
  }
  messages.wait();  // there is nothing to wait for
}

TEST(MemberMessages, arrive_in_order_from_every_member) {
  exchange(world());
  exchange(world());
}

TEST(MemberMessages, do_not_meet_those_of_the_program) {
  const Group& all = world();
  int caught = -1;
  MPI_Request request;
  MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all.mpi_comm(), &request);
  exchange(all);
  const int next = (all.rank() + 1) % all.size(), mine = all.rank();
  MPI_Send(&mine, 1, MPI_INT, next, 5, all.mpi_comm());
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(caught, (all.rank() + all.size() - 1) % all.size());
}

TEST(MemberMessages, reach_members_of_a_smaller_group) {
  const Group& all = world();
  const Group half = all.split(all.rank() % 2, -all.rank());
  exchange(half);
}

TEST(MemberMessages, are_awaited_while_other_processes_are_served) {
  const Group& all = world();
  Scalars<std::int64_t> counters(all, 1);
  const int last = all.size() - 1;
  if (last == 0) return;
  MemberMessages messages(all);
  char token = 1;
  if (all.rank() == 0) {  // waits for the last rank, which needs an answer from here before it sends
    messages.receive(last, Channel{0}, &token, 1);
    messages.wait();
  } else if (all.rank() == last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(counters.fetch_add(0, 0, 5), 0);
    EXPECT_EQ(counters.fetch_add(0, 0, 1), 5);
    messages.send(0, Channel{0}, &token, 1, Pace::received);
    messages.wait();
  }
  all.barrier();
  EXPECT_EQ(counters.load(0, 0), 6);
}

}  // namespace
