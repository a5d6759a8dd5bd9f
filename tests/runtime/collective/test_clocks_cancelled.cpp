// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <string>
#include <vector>

#include "clock_model.hpp"

// The clocks after receives that the program cancels or frees, and after probes.
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
