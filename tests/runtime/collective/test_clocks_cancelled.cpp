// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <string>
#include <vector>

#include "clock_model.hpp"
#include "mpi/mpi.hpp"
#include "order/unseen_order.hpp"

// The clocks after receives that the program cancels or frees, after probes, and after calls without elements.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST(ClocksOfMpi, stay_in_step_after_a_receive_was_cancelled) {
  if (size() == 1) return;
  ClockModel model;
  const MPI_Comm comm = world().mpi_comm();
  if (me() == 1) {
    int value = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 4, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  PMPI_Barrier(comm);
  event_of(0, model);
  int sent = 7, got = 0;
  if (me() == 0) MPI_Send(&sent, 1, MPI_INT, 1, 4, comm);
  if (me() == 1) MPI_Recv(&got, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
  model.message(0, 1);
  model.check("the message after a cancelled receive");
}

// Rank 1 posts three receives of one kind, cancels some, and ends those before or after the others, or frees
// them. Rank 0 sends three messages, which come to the receives that are left and to new ones.
TEST(ClocksOfMpi, go_to_the_receives_that_are_not_cancelled) {
  if (size() == 1) return;
  ClockModel model;
  const MPI_Comm comm = world().mpi_comm();
  enum End { waited_first, waited_last, freed };
  for (int run = 0; run < 48; ++run) {
    const int mask = run % 8;
    const auto end = static_cast<End>(run / 8 % 3);
    const int source = run < 24 ? 0 : MPI_ANY_SOURCE;
    std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const auto end_cancelled = [&] {
      for (int i = 0; i < 3; ++i) {
        auto& request = requests[static_cast<std::size_t>(i)];
        if ((mask >> i & 1) == 0 || request == MPI_REQUEST_NULL) continue;
        end == freed ? MPI_Request_free(&request) : MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    };
    std::array<int, 3> values{};
    if (me() == 1) {
      for (std::size_t i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, source, 4, comm, &requests[i]);
      for (std::size_t i = 0; i < 3; ++i) {
        if ((mask >> i & 1) != 0) MPI_Cancel(&requests[i]);
      }
      if (end == freed) end_cancelled();
    }
    PMPI_Barrier(comm);
    std::vector<VectorClock> sent;
    for (int i = 0; i < 3; ++i) {
      event_of(0, model);
      sent.push_back(model.sent(0));
      if (me() == 0) MPI_Send(&i, 1, MPI_INT, 1, 4, comm);
    }
    PMPI_Barrier(comm);
    if (me() == 1 && end == waited_first) end_cancelled();
    int message = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if ((mask >> i & 1) != 0) continue;
      if (me() == 1) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        EXPECT_EQ(values[i], message);
      }
      model.received(1, sent[static_cast<std::size_t>(message++)]);
      model.check(("receive " + std::to_string(i) + " of run " + std::to_string(run)).c_str());
    }
    for (; message < 3; ++message) {
      int value = -1;
      if (me() == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
        EXPECT_EQ(value, message);
      }
      model.received(1, sent[static_cast<std::size_t>(message)]);
      model.check(("message " + std::to_string(message) + " of run " + std::to_string(run)).c_str());
    }
    if (me() == 1 && end == waited_last) end_cancelled();
  }
}

// A freed receive gets the first message, as the one before it was cancelled.
TEST(ClocksOfMpi, of_freed_receives_are_not_those_of_later_ones) {
  if (size() == 1) return;
  ClockModel model;
  const MPI_Comm comm = world().mpi_comm();
  int cancelled = 0, freed = -1, value = -1;
  MPI_Request first = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;
  if (me() == 1) {
    MPI_Irecv(&cancelled, 1, MPI_INT, 0, 4, comm, &first);
    MPI_Irecv(&freed, 1, MPI_INT, 0, 4, comm, &second);
    MPI_Cancel(&first);
  }
  PMPI_Barrier(comm);
  std::vector<VectorClock> sent;
  for (int i = 0; i < 2; ++i) {
    event_of(0, model);
    sent.push_back(model.sent(0));
    if (me() == 0) MPI_Send(&i, 1, MPI_INT, 1, 4, comm);
  }
  PMPI_Barrier(comm);
  if (me() == 1) {
    MPI_Request_free(&second);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
  }
  model.check("a freed receive");
  if (me() == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(freed, 0);
  }
  model.received(1, sent[1]);
  model.check("the receive after it");
}

// The runtime looks for messages while it waits, but the program has not seen them then.
TEST(ClocksOfMpi, do_not_come_with_the_runtimes_own_probes) {
  if (size() == 1) return;
  ClockModel model;
  const MPI_Comm comm = world().mpi_comm();
  event_of(0, model);
  const int sent = 7;
  int got = 0;
  const VectorClock clock = model.sent(0);
  if (me() == 0) MPI_Send(&sent, 1, MPI_INT, 1, 4, comm);
  PMPI_Barrier(comm);
  for (int i = 0; i < 10; ++i) detail::mpi::progress(comm);
  model.check("a probe of the runtime");
  if (me() == 1) MPI_Recv(&got, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
  model.received(1, clock);
  model.check("the receive");
}

// Ranks that send nothing may call later, so no order comes from them.
TEST(ClocksOfMpi, are_not_taken_in_without_elements) {
  if (size() == 1) return;
  const MPI_Comm comm = world().mpi_comm();
  const auto n = static_cast<std::size_t>(size());
  const auto left = static_cast<std::size_t>((me() + size() - 1) % size()),
             right = static_cast<std::size_t>((me() + 1) % size());
  std::vector<int> to(n, 0), from(n, 0), places(n, 0), given(n, 1), got(n, 0);
  to[right] = 1, from[left] = 1;
  for (int way = 0; way < 3; ++way) {
    ClockModel model;
    event_of(0, model);
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> counts(n, 1);
    counts[0] = 0;
    if (way == 0)
      MPI_Alltoallv(given.data(), to.data(), places.data(), MPI_INT, got.data(), from.data(), places.data(),
                    MPI_INT, comm);
    if (way == 1)
      MPI_Ialltoallv(given.data(), to.data(), places.data(), MPI_INT, got.data(), from.data(), places.data(),
                     MPI_INT, comm, &request);
    if (way == 2)
      MPI_Allgatherv(given.data(), me() == 0 ? 0 : 1, MPI_INT, got.data(), counts.data(), places.data(),
                     MPI_INT, comm);
    if (way == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    // On two ranks each gets all that others have in the first two ways, and rank 0 in the last one.
    const std::string note = std::string(way == 0   ? "MPI_Alltoallv"
                                         : way == 1 ? "MPI_Ialltoallv"
                                                    : "MPI_Allgatherv") +
                             " without elements of some ranks";
    const bool has_all = way < 2 ? size() == 2 : me() == 0;
    EXPECT_EQ(detail::order::unseen_order()[note] > 0, !has_all) << note;
    std::vector<VectorClock> sent;
    for (const int r : everybody()) sent.push_back(model.sent(r));
    for (const int taker : everybody()) {
      if (way < 2 ? size() != 2 : taker != 0) continue;
      for (const VectorClock& clock : sent) model.received(taker, clock);
    }
    model.check(note.c_str());
    PMPI_Barrier(comm);
  }
}

// From a probe on, even before the message is received.
TEST(ClocksOfMpi, come_with_probes) {
  if (size() == 1) return;
  const MPI_Comm comm = world().mpi_comm();
  for (int way = 0; way < 4; ++way) {
    ClockModel model;
    event_of(0, model);
    if (me() == 0) MPI_Send(&way, 1, MPI_INT, 1, 4, comm);
    model.message(0, 1);
    int flag = 0, value = way;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (me() == 1) {
      if (way == 0) MPI_Probe(0, 4, comm, MPI_STATUS_IGNORE);
      while (way == 1 && flag == 0) MPI_Iprobe(MPI_ANY_SOURCE, 4, comm, &flag, MPI_STATUS_IGNORE);
      if (way == 2) MPI_Mprobe(0, 4, comm, &message, MPI_STATUS_IGNORE);
      while (way == 3 && flag == 0) MPI_Improbe(0, 4, comm, &flag, &message, MPI_STATUS_IGNORE);
    }
    model.check(("the probe of way " + std::to_string(way)).c_str());
    if (me() == 1 && way < 2) MPI_Recv(&value, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
    if (me() == 1 && way >= 2) MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    model.check("its receive");
    PMPI_Barrier(comm);
  }
}

}  // namespace
