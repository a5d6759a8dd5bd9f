// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <numeric>
#include <vector>

#include <mpi.h>

#include "mpi_test.hpp"

// Collective calls beside messages of the program on the group's communicator.
namespace {

using namespace tessera;
using namespace tessera::test;

// The program sends a message that is too large to be sent eagerly, to a rank that has not yet come.
TEST(CollectivesAndMessages, messages_of_the_program_move_on_meanwhile) {
  const Group& all = world();
  const int me = all.rank(), size = all.size();
  if (size == 1) return;
  for (const int count : {1, 300, 100'000}) {
    for (int kind = 0; kind < 3; ++kind) {
      std::vector<double> message(400'000, me == 0 ? 42.0 + kind : 0.0);
      MPI_Request request = MPI_REQUEST_NULL;
      const int bytes = static_cast<int>(message.size() * sizeof(double));
      if (me == 0) MPI_Isend(message.data(), bytes, MPI_BYTE, size - 1, 5, all.mpi_comm(), &request);
      if (me == size - 1) MPI_Recv(message.data(), bytes, MPI_BYTE, 0, 5, all.mpi_comm(), MPI_STATUS_IGNORE);
      std::vector<double> data(static_cast<std::size_t>(count), me);
      if (kind == 0) all.all_reduce(std::span<double>(data), Reduce::sum);
      if (kind == 1) all.broadcast(std::span<double>(data), size - 1);
      if (kind == 2) {
        EXPECT_EQ(all.all_gather(me)[1], 1);
      }
      if (kind == 0) {
        EXPECT_EQ(data.back(), size * (size - 1) / 2);
      }
      if (kind == 1) {
        EXPECT_EQ(data.back(), size - 1);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (me == size - 1) {
        EXPECT_EQ(message.back(), 42.0 + kind);
      }
    }
  }
}

// The program waits for a message from anyone. Collective calls send messages, too, which it must not get.
TEST(CollectivesAndMessages, receives_of_the_program_get_nothing_of_a_collective_call) {
  const Group all = world().split(0, -world().rank());
  const int me = all.rank(), size = all.size();
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{3000}, std::size_t{40'000}, std::size_t{600'000}}) {
    std::vector<double> found(count, -1.0), data(count, me + 1.0);
    const int bytes = static_cast<int>(count * sizeof(double));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(found.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, all.mpi_comm(), &request);
    all.all_reduce(std::span<double>(data), Reduce::sum);
    EXPECT_EQ(data.back(), size * (size + 1) / 2);
    data.assign(count, me + 1.0);
    all.reduce(std::span<double>(data), Reduce::max, size - 1);
    EXPECT_EQ(data.front(), me == size - 1 ? size : me + 1);
    data.assign(count, me);
    all.broadcast(std::span<double>(data), 0);
    EXPECT_EQ(data.back(), 0.0);
    const std::vector<double> ranks(count, me), gathered = all.all_gather(std::span<const double>(ranks));
    EXPECT_EQ(gathered.size(), count * static_cast<std::size_t>(size));
    EXPECT_EQ(gathered.back(), size - 1);
    int has_come = 0;
    MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
    EXPECT_EQ(has_come, 0);
    all.barrier();
    const std::vector<double> sent(count, 7.0 + me);
    MPI_Send(sent.data(), bytes, MPI_BYTE, (me + 1) % size, 3, all.mpi_comm());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(found.back(), 7.0 + (me + size - 1) % size);
    all.barrier();
  }
}

// The same while groups and segments are made, and one-sided operations pass between the members.
TEST(CollectivesAndMessages, receives_of_the_program_get_nothing_of_a_new_group_or_segment) {
  Group all = world().split(0, -world().rank());
  const int me = all.rank(), size = all.size();
  Group node = all.node();
  int found[2] = {-1, -1};
  MPI_Request requests[2];
  MPI_Irecv(&found[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all.mpi_comm(), &requests[0]);
  MPI_Irecv(&found[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, node.mpi_comm(), &requests[1]);

  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  Group formed = all.form(ranks, 7);
  EXPECT_EQ(formed.rank(), size - 1 - me);
  std::vector<int> ranks_of_node(static_cast<std::size_t>(node.size()));
  std::iota(ranks_of_node.begin(), ranks_of_node.end(), 0);
  Group formed_on_node = node.form(ranks_of_node);
  for (Group* group : {&all, &formed}) {
    Segment segment(*group, 4096);
    const int next = (group->rank() + 1) % size;
    const double sent = 3.0 + group->rank();
    segment.put(next, 64, Strided::contiguous(sizeof sent), &sent);
    group->sync();
    double kept = 0.0;
    segment.get(group->rank(), 64, Strided::contiguous(sizeof kept), &kept);
    EXPECT_EQ(kept, 3.0 + (group->rank() + size - 1) % size);
    segment.close();
  }
  formed_on_node.close();
  formed.close();

  for (MPI_Request& request : requests) {
    int has_come = 0;
    MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
    EXPECT_EQ(has_come, 0);
  }
  all.barrier();
  MPI_Send(&me, 1, MPI_INT, (me + 1) % size, 3, all.mpi_comm());
  const int here = node.rank();
  MPI_Send(&here, 1, MPI_INT, (here + 1) % node.size(), 3, node.mpi_comm());
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(found[0], (me + size - 1) % size);
  EXPECT_EQ(found[1], (here + node.size() - 1) % node.size());
  all.close();
}

}  // namespace
