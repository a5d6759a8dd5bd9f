// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Order by messages of MPI.
namespace cases {
namespace {

// Rank 0 sends a message, puts, and sends another one. Rank 1 posts both receives in the other order.
CASE_INLINE void begin_two_messages(Stage& at, MPI_Request (&requests)[2]) {
  if (at.rank == 0) send(at, 1, 1), put(at.line, 0, 8), at.line.flush(), send(at, 1, 2);
  if (at.rank != 1) return;
  MPI_Irecv(nullptr, 0, MPI_INT, 0, 2, at.comm, &requests[1]);
  MPI_Irecv(nullptr, 0, MPI_INT, 0, 1, at.comm, &requests[0]);
}

CASE_INLINE void two_messages(Stage& at, int waited) {
  MPI_Request requests[2];
  begin_two_messages(at, requests);
  if (at.rank != 1) return;
  MPI_Wait(&requests[waited], MPI_STATUS_IGNORE);
  get(at.line, 0, 8);
  MPI_Wait(&requests[1 - waited], MPI_STATUS_IGNORE);
}

CASE_INLINE void two_messages_early(Stage& at) { two_messages(at, 0); }

// A message after a flush.
void put_flush_send(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) receive(at, 0), get(at.line, 0, 8);
}

// Without a flush.
void put_send(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), send(at, 1);
  if (at.rank == 1) receive(at, 0), get(at.line, 0, 8);
}

// The message leaves too early.
void send_before_put(Stage& at) {
  if (at.rank == 0) send(at, 1), put(at.line, 0, 8), at.line.flush();
  if (at.rank == 1) receive(at, 0), get(at.line, 0, 8);
}

// The message goes from the reader to the writer, after neither access.
void message_the_other_way(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), receive(at, 1);
  if (at.rank == 1) send(at, 0), get(at.line, 0, 8);
}

// The source is found by the receive.
void wildcard_receive(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1, 5);
  if (at.rank == 1) receive(at, MPI_ANY_SOURCE, MPI_ANY_TAG), get(at.line, 0, 8);
}

// Only the message of rank 2 is received before the get.
void wildcard_receive_of_one_of_two(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1, 6);
  if (at.rank == 2) send(at, 1, 5);
  if (at.rank == 1) receive(at, MPI_ANY_SOURCE, 5), get(at.line, 0, 8), receive(at, 0, 6);
}

// One message of each other rank, in any order.
void wildcard_receives_of_all(Stage& at) {
  if (at.rank != 0) put(at.line, at.rank * per_rank, at.rank * per_rank + 4), at.line.flush(), send(at, 0);
  if (at.rank == 0) {
    for (int r = 1; r < at.world.size(); ++r) receive(at, MPI_ANY_SOURCE);
    get(at.line, 0, at.world.size() * per_rank);
  }
}

// The put is between two messages, and the second is waited for.
void second_message(Stage& at) { two_messages(at, 1); }

// The put is between two messages, and only the first is waited for.
void first_message(Stage& at) { two_messages_early(at); }

// The receive is posted, but nobody has waited for it.
void get_before_wait(Stage& at) {
  MPI_Request request;
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) {
    MPI_Irecv(nullptr, 0, MPI_INT, 0, 0, at.comm, &request);
    get(at.line, 0, 8);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Each rank writes to the next one, and tells it.
void exchange_by_sendrecv(Stage& at) {
  const int n = at.world.size(), next = (at.rank + 1) % n, before = (at.rank + n - 1) % n;
  put(at.line, next * per_rank, next * per_rank + 8);
  at.line.flush();
  MPI_Sendrecv(nullptr, 0, MPI_INT, next, 0, nullptr, 0, MPI_INT, before, 0, at.comm, MPI_STATUS_IGNORE);
  read_own(std::as_const(at.line));
}

// The message is received by MPI_Mrecv.
void matched_probe(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), send(at, 1);
  if (at.rank == 1) {
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, at.comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    get(at.line, 0, 8);
  }
}

// The program has made the communicator.
void message_on_a_new_communicator(Stage& at) {
  MPI_Comm other;
  MPI_Comm_split(at.comm, 0, -at.rank, &other);
  const int last = at.world.size() - 1;
  if (at.rank == 0) {
    put(at.line, 0, 8);
    at.line.flush();
    MPI_Send(nullptr, 0, MPI_INT, last - 1, 0, other);
  }
  if (at.rank == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, last, 0, other, MPI_STATUS_IGNORE);
    get(at.line, 0, 8);
  }
  MPI_Comm_free(&other);
}

// The return of MPI_Ssend orders what rank 1 did before its receive. The clocks do not follow that.
void synchronous_send(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush(), receive(at, 0);
  if (at.rank == 0) MPI_Ssend(nullptr, 0, MPI_INT, 1, 0, at.comm), get(at.line, 0, 8);
}

// An ordinary receive may match it, and an ordinary send, too.
void exchange_by_isendrecv(Stage& at) {
  char given = 0, taken = 0;
  if (at.rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    put(at.line, 0, 8), at.line.flush();
#if MPI_VERSION >= 4
    MPI_Isendrecv(&given, 1, MPI_CHAR, 1, 0, &taken, 1, MPI_CHAR, 1, 1, at.comm, &request);
#else
    MPI_Irecv(&taken, 1, MPI_CHAR, 1, 1, at.comm, &request);
    MPI_Send(&given, 1, MPI_CHAR, 1, 0, at.comm);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    get(at.line, 8, 16);
  } else if (at.rank == 1) {
    put(at.line, 8, 16), at.line.flush();
    MPI_Send(&given, 1, MPI_CHAR, 0, 1, at.comm);
    MPI_Recv(&taken, 1, MPI_CHAR, 0, 0, at.comm, MPI_STATUS_IGNORE);
    get(at.line, 0, 8);
  }
}

// Nor its end that of a persistent one.
void persistent_synchronous_send(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush(), receive(at, 0);
  if (at.rank != 0) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ssend_init(nullptr, 0, MPI_INT, 1, 0, at.comm, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  get(at.line, 0, 8);
  MPI_Request_free(&request);
}

// Rank 1 polls a word in a window of the program.
void polling_of_a_window(Stage& at) {
  std::int32_t* word = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, at.comm, &word, &win);
  *word = 0;
  MPI_Win_lock_all(0, win);
  at.world.sync();
  const std::int32_t one = 1;
  if (at.rank == 0) {
    put(at.line, 0, 8), at.line.flush();
    MPI_Accumulate(&one, 1, MPI_INT32_T, 1, 0, 1, MPI_INT32_T, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
  } else if (at.rank == 1) {
    for (std::int32_t found = 0; found == 0;) {
      MPI_Fetch_and_op(nullptr, &found, MPI_INT32_T, 1, 0, MPI_NO_OP, win);
      MPI_Win_flush(1, win);
    }
    get(at.line, 0, 8);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// A message between other ranks, before the accesses, has nothing to do with them.
void synchronous_send_before(Stage& at) {
  if (at.rank == 2) MPI_Ssend(nullptr, 0, MPI_INT, 1, 0, at.comm);
  if (at.rank == 1) receive(at, 2);
  at.world.barrier();
  if (at.rank == 0) put(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// Nor has one after both.
void synchronous_send_after(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 2) MPI_Ssend(nullptr, 0, MPI_INT, 1, 0, at.comm);
  if (at.rank == 1) receive(at, 2);
}

}  // namespace

std::span<const Case> messages() {
  static constexpr Case all[] = {
      {"put-flush-send", Verdict::right, 2, put_flush_send},
      {"put-send", Verdict::wrong, 2, put_send, "put by rank 0", "get by rank 1"},
      {"send-before-put", Verdict::wrong, 2, send_before_put, "put by rank 0", "get by rank 1"},
      {"message-the-other-way", Verdict::wrong, 2, message_the_other_way, "put by rank 0", "get by rank 1"},
      {"wildcard-receive", Verdict::right, 2, wildcard_receive},
      {"wildcard-receive-of-one-of-two", Verdict::wrong, 3, wildcard_receive_of_one_of_two, "put by rank 0",
       "get by rank 1"},
      {"wildcard-receives-of-all", Verdict::right, 2, wildcard_receives_of_all},
      {"second-message", Verdict::right, 2, second_message},
      {"first-message", Verdict::wrong, 2, first_message, "put by rank 0", "get by rank 1"},
      {"get-before-wait", Verdict::wrong, 2, get_before_wait, "put by rank 0", "get by rank 1"},
      {"exchange-by-sendrecv", Verdict::right, 2, exchange_by_sendrecv},
      {"exchange-by-isendrecv", Verdict::right, 2, exchange_by_isendrecv},
      {"matched-probe", Verdict::right, 2, matched_probe},
      {"message-on-a-new-communicator", Verdict::right, 2, message_on_a_new_communicator},
      {"synchronous-send", Verdict::unknown, 2, synchronous_send},
      {"persistent-synchronous-send", Verdict::unknown, 2, persistent_synchronous_send},
      {"polling-of-a-window", Verdict::unknown, 2, polling_of_a_window},
      {"synchronous-send-before", Verdict::wrong, 3, synchronous_send_before, "put by rank 0", "get by rank 1"},
      {"synchronous-send-after", Verdict::wrong, 3, synchronous_send_after, "put by rank 0", "get by rank 1"},
  };
  return all;
}

}  // namespace cases
