// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "clock_model.hpp"
#include "order/unseen_order.hpp"
#include "random_transfer.hpp"

// The clocks after the program's own calls of MPI.
namespace {

using namespace tessera;
using namespace tessera::test;
namespace order = tessera::detail::order;

// The ways to send a message, and to receive one.
constexpr int ways_to_send = 6, ways_to_receive = 10;

void send(int way, MPI_Comm comm, int to, int tag) {
  int value = 100 + tag;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (way) {
    case 0:
      MPI_Send(&value, 1, MPI_INT, to, tag, comm);
      break;
    case 1:
      MPI_Isend(&value, 1, MPI_INT, to, tag, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 2: {
      std::array<char, 1000 + MPI_BSEND_OVERHEAD> room;
      void* buffer = room.data();
      int bytes = static_cast<int>(room.size());
      MPI_Buffer_attach(buffer, bytes);
      MPI_Bsend(&value, 1, MPI_INT, to, tag, comm);
      MPI_Buffer_detach(static_cast<void*>(&buffer), &bytes);
      break;
    }
    case 3:
      MPI_Issend(&value, 1, MPI_INT, to, tag, comm, &request);
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      break;
    case 4:
      MPI_Send_init(&value, 1, MPI_INT, to, tag, comm, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
      break;
    default:
      MPI_Sendrecv(&value, 1, MPI_INT, to, tag, nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
  }
}

void receive(int way, MPI_Comm comm, int from, int tag) {
  int value = 0, flag = 0, index = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  switch (way) {
    case 0:
      MPI_Recv(&value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
      break;
    case 2:
      MPI_Irecv(&value, 1, MPI_INT, from, MPI_ANY_TAG, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Irecv(&value, 1, MPI_INT, from, tag, comm, &request);
      while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      break;
    case 4:
      MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
      break;
    case 5:
      MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      break;
    case 6:
      while (flag == 0) MPI_Improbe(from, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      break;
    case 7:
      MPI_Probe(from, tag, comm, MPI_STATUS_IGNORE);
      MPI_Probe(from, MPI_ANY_TAG, comm, &status);  // nothing new
      MPI_Recv(&value, 1, MPI_INT, from, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
      break;
    case 8:
      while (flag == 0) MPI_Iprobe(from, tag, comm, &flag, MPI_STATUS_IGNORE);
      MPI_Irecv(&value, 1, MPI_INT, from, MPI_ANY_TAG, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Recv_init(&value, 1, MPI_INT, from, tag, comm, &request);
      MPI_Startall(1, &request);
      MPI_Waitsome(1, &request, &flag, &index, MPI_STATUSES_IGNORE);
      MPI_Request_free(&request);
  }
  EXPECT_EQ(value, 100 + tag) << "received in way " << way;
}

// A random program of messages, one after the other as far as the ranks are concerned.
void exchange_messages(MPI_Comm comm, const std::vector<int>& world_ranks, std::uint64_t seed) {
  ClockModel model;
  Random random(seed);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto last = static_cast<index_t>(world_ranks.size()) - 1;
  for (int n = 0; n < 150; ++n) {
    const int from = static_cast<int>(pick(random, 0, last)), to = static_cast<int>(pick(random, 0, last));
    const int sends = static_cast<int>(pick(random, 0, ways_to_send - 1)), tag = n % 5;
    const int receives = static_cast<int>(pick(random, 0, ways_to_receive - 1));
    if (from == to) continue;
    event_of(world_ranks[at(from)], model);
    // A receive from any source must find no other message.
    if (receives == 1 || receives == 4 || receives == 5) PMPI_Barrier(comm);
    if (rank == from) send(sends, comm, to, tag);
    if (rank == to) receive(receives, comm, from, tag);
    model.message(world_ranks[at(from)], world_ranks[at(to)]);
    if (receives == 1 || receives == 4 || receives == 5) PMPI_Barrier(comm);
    model.check(("message in ways " + std::to_string(sends) + " and " + std::to_string(receives)).c_str());
  }
}

TEST(ClocksOfMpi, go_with_messages_of_every_kind) {
  exchange_messages(world().mpi_comm(), everybody(), 1);
  if (runtime().progress() != ProgressMode::rank) exchange_messages(MPI_COMM_WORLD, everybody(), 2);
}

TEST(ClocksOfMpi, go_with_messages_on_new_communicators) {
  MPI_Comm copy, reversed, idup;
  MPI_Comm_dup(world().mpi_comm(), &copy);
  exchange_messages(copy, everybody(), 3);
  MPI_Comm_split(copy, 0, -me(), &reversed);
  std::vector<int> ranks = everybody();
  std::reverse(ranks.begin(), ranks.end());
  exchange_messages(reversed, ranks, 4);
  MPI_Request request;
  MPI_Comm_idup(reversed, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reversed);
  exchange_messages(idup, ranks, 5);
  int extent = size(), periodic = 1;
  MPI_Comm line;
  MPI_Cart_create(idup, 1, &extent, &periodic, 0, &line);
  exchange_messages(line, ranks, 6);
  for (MPI_Comm* comm : {&copy, &idup, &line}) MPI_Comm_free(comm);
}

// Two messages that are received in the other order.
TEST(ClocksOfMpi, belong_to_the_message_that_was_waited_for) {
  if (size() == 1) return;
  for (const bool any_source : {false, true}) {
    ClockModel model;
    const MPI_Comm comm = world().mpi_comm();
    std::array<int, 2> values{};
    std::array<MPI_Request, 2> requests;
    const int source = any_source ? MPI_ANY_SOURCE : 0;
    if (me() == 1) {
      MPI_Irecv(&values[0], 1, MPI_INT, source, 8, comm, &requests[0]);
      MPI_Irecv(&values[1], 1, MPI_INT, source, 9, comm, &requests[1]);
    }
    event_of(0, model);
    if (me() == 0) send(0, comm, 1, 9);
    const VectorClock first = model.sent(0);
    event_of(0, model);
    if (me() == 0) send(0, comm, 1, 8);
    const VectorClock second = model.sent(0);
    if (me() == 1) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    model.received(1, first);
    model.check("the first message");
    if (me() == 1) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    model.received(1, second);
    model.check("the second message");
  }
}

// The receive that is posted first gets the first message, whichever of them names its source and tag.
TEST(ClocksOfMpi, match_as_messages_do_where_wildcards_are_mixed_in) {
  if (size() == 1) return;
  for (int mask = 0; mask < 8; ++mask) {
    ClockModel model;
    const MPI_Comm comm = world().mpi_comm();
    std::array<int, 3> values{};
    std::array<MPI_Request, 3> requests;
    for (std::size_t i = 0; i < 3 && me() == 1; ++i) {
      const bool is_wild = (mask >> i & 1) != 0;
      MPI_Irecv(&values[i], 1, MPI_INT, is_wild ? MPI_ANY_SOURCE : 0, is_wild ? MPI_ANY_TAG : 4, comm,
                &requests[i]);
    }
    PMPI_Barrier(comm);
    std::vector<VectorClock> sent;
    for (int i = 0; i < 3; ++i) {
      event_of(0, model);
      const int value = i;
      if (me() == 0) MPI_Send(&value, 1, MPI_INT, 1, 4, comm);
      sent.push_back(model.sent(0));
    }
    for (const std::size_t i : std::array<std::size_t, 3>{0, 2, 1}) {
      if (me() == 1) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        EXPECT_EQ(values[i], static_cast<int>(i));
      }
      model.received(1, sent[i]);
      model.check(("message " + std::to_string(i) + " with mask " + std::to_string(mask)).c_str());
    }
  }
}

struct CollectiveCall {
  const char* name;
  enum { all, from_root, to_root, upwards } flow;
  std::function<void(MPI_Comm, int root, MPI_Request*)> call;
};

// Each call with its own data, blocking if there is no request.
std::vector<CollectiveCall> collective_calls() {
  static int one = 1, sum = 0;
  static std::array<int, 64> from{}, to{};
  static const std::array<int, 64> ones = [] {
    std::array<int, 64> all{};
    all.fill(1);
    return all;
  }();
#define EITHER(blocking, nonblocking, ...)                                    \
  [](MPI_Comm c, int root, MPI_Request* r) {                                  \
    static_cast<void>(root);                                                  \
    r == nullptr ? blocking(__VA_ARGS__, c) : nonblocking(__VA_ARGS__, c, r); \
  }
  return {
      {"MPI_Barrier", CollectiveCall::all,
       [](MPI_Comm c, int, MPI_Request* r) { r == nullptr ? MPI_Barrier(c) : MPI_Ibarrier(c, r); }},
      {"MPI_Allreduce", CollectiveCall::all,
       EITHER(MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX)},
      {"MPI_Allgather", CollectiveCall::all,
       EITHER(MPI_Allgather, MPI_Iallgather, from.data(), 1, MPI_INT, to.data(), 1, MPI_INT)},
      {"MPI_Alltoall", CollectiveCall::all,
       EITHER(MPI_Alltoall, MPI_Ialltoall, from.data(), 1, MPI_INT, to.data(), 1, MPI_INT)},
      {"MPI_Reduce_scatter", CollectiveCall::all,
       EITHER(MPI_Reduce_scatter, MPI_Ireduce_scatter, from.data(), to.data(), ones.data(), MPI_INT, MPI_SUM)},
      {"MPI_Reduce_scatter_block", CollectiveCall::all,
       EITHER(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from.data(), to.data(), 1, MPI_INT,
              MPI_SUM)},
      {"MPI_Bcast", CollectiveCall::from_root, EITHER(MPI_Bcast, MPI_Ibcast, &one, 1, MPI_INT, root)},
      {"MPI_Scatter", CollectiveCall::from_root,
       EITHER(MPI_Scatter, MPI_Iscatter, from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, root)},
      {"MPI_Reduce", CollectiveCall::to_root,
       EITHER(MPI_Reduce, MPI_Ireduce, &one, &sum, 1, MPI_INT, MPI_SUM, root)},
      {"MPI_Gather", CollectiveCall::to_root,
       EITHER(MPI_Gather, MPI_Igather, from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, root)},
      {"MPI_Scan", CollectiveCall::upwards, EITHER(MPI_Scan, MPI_Iscan, &one, &sum, 1, MPI_INT, MPI_SUM)},
      {"MPI_Exscan", CollectiveCall::upwards, EITHER(MPI_Exscan, MPI_Iexscan, &one, &sum, 1, MPI_INT, MPI_SUM)},
  };
#undef EITHER
}

std::vector<int> up_to(int rank) {
  std::vector<int> ranks;
  for (int r = 0; r <= rank; ++r) ranks.push_back(r);
  return ranks;
}

// What a call sends, and what each rank receives from it.
std::vector<VectorClock> send_all(const CollectiveCall& call, int root, ClockModel& model) {
  std::vector<VectorClock> sent(at(size()));
  for (const int r : everybody()) {
    if (call.flow != CollectiveCall::from_root || r == root) sent[at(r)] = model.sent(r);
  }
  return sent;
}
void receive_all(const CollectiveCall& call, int root, const std::vector<VectorClock>& sent,
                 ClockModel& model) {
  for (const int r : everybody()) {
    if (call.flow == CollectiveCall::to_root && r != root) continue;
    for (const int from : call.flow == CollectiveCall::upwards ? up_to(r) : everybody())
      model.received(r, sent[at(from)]);
  }
}

TEST(ClocksOfMpi, go_with_collective_calls) {
  const MPI_Comm comm = world().mpi_comm();
  ClockModel model;
  int root = 0;
  for (const CollectiveCall& call : collective_calls()) {
    for (const int r : everybody()) event_of(r, model);
    call.call(comm, root, nullptr);
    receive_all(call, root, size() == 1 ? std::vector<VectorClock>(1) : send_all(call, root, model), model);
    model.check(call.name);
    root = (root + 1) % size();
  }
}

TEST(ClocksOfMpi, arrive_with_the_wait_for_a_nonblocking_call) {
  const MPI_Comm comm = world().mpi_comm();
  ClockModel model;
  int root = 0;
  for (const CollectiveCall& call : collective_calls()) {
    for (const int r : everybody()) event_of(r, model);
    MPI_Request request;
    call.call(comm, root, &request);
    const auto sent = size() == 1 ? std::vector<VectorClock>(1) : send_all(call, root, model);
    model.check(call.name);
    // An event after the call is not in it.
    for (const int r : everybody()) event_of(r, model);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_all(call, root, sent, model);
    model.check(call.name);
    root = (root + 1) % size();
  }
}

TEST(ClocksOfMpi, go_round_a_ring) {
  const MPI_Comm comm = world().mpi_comm();
  ClockModel model;
  for (int round = 0; round < 4 && size() > 1; ++round) {
    event_of(round % size(), model);
    int value = me(), other = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, right(), 1, &other, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm,
                 MPI_STATUS_IGNORE);
    EXPECT_EQ(other, left());
    std::vector<VectorClock> sent;
    for (const int r : everybody()) sent.push_back(model.sent(r));
    for (const int r : everybody()) model.received((r + 1) % size(), sent[at(r)]);
    model.check("MPI_Sendrecv");
    MPI_Sendrecv_replace(&value, 1, MPI_INT, left(), 2, right(), 2, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, right());
    sent.clear();
    for (const int r : everybody()) sent.push_back(model.sent(r));
    for (const int r : everybody()) model.received(r, sent[at((r + 1) % size())]);
    model.check("MPI_Sendrecv_replace");
  }
}

TEST(ClocksOfMpi, unknown_order_is_noted) {
  if (size() == 1) return;
  const auto times = [](const std::string& call) {
    const auto all = order::unseen_order();
    const auto found = all.find(call);
    return found == all.end() ? 0u : found->second;
  };
  EXPECT_EQ(times("MPI_Neighbor_allgather"), 0u);
  int extent = size(), periodic = 1;
  MPI_Comm line;
  MPI_Cart_create(world().mpi_comm(), 1, &extent, &periodic, 0, &line);
  std::array<int, 2> got{};
  const int mine = me();
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, got.data(), 1, MPI_INT, line);
  EXPECT_EQ(times("MPI_Neighbor_allgather"), 1u);
  MPI_Comm_free(&line);
#if MPI_VERSION >= 4
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Barrier_init(world().mpi_comm(), MPI_INFO_NULL, &request);
  EXPECT_EQ(times("MPI_Barrier_init"), 0u);
  for (unsigned started = 1; started <= 2; ++started) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(times("MPI_Barrier_init"), started);
  }
  MPI_Request_free(&request);
#endif
}

// A request that was made before the Runtime, as the checker sees it.
TEST(ClocksOfMpi, messages_of_unknown_requests_are_noted) {
  const std::string note = "MPI_Start of a request that was made before the Runtime";
  const auto before = order::unseen_order()[note];
  int value = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world().mpi_comm(), &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  PMPI_Request_free(&request);
  EXPECT_EQ(order::unseen_order()[note], before + 1);
}

}  // namespace
