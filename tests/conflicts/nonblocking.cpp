// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Nonblocking collective calls order only after the wait.
namespace cases {
namespace {

// The get is after the wait.
void ibarrier_wait_get(Stage& at) {
  MPI_Request request;
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Ibarrier(at.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (at.rank == 1) get(at.line, 0, 8);
}

// The get is before the wait.
void ibarrier_get_wait(Stage& at) {
  MPI_Request request;
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Ibarrier(at.comm, &request);
  if (at.rank == 1) get(at.line, 0, 8);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The put is after the call, so the wait of the others does not cover it.
void ibarrier_put_wait(Stage& at) {
  MPI_Request request;
  MPI_Ibarrier(at.comm, &request);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (at.rank == 1) get(at.line, 0, 8);
}

// MPI_Test has shown that all ranks have called.
void iallreduce_test_get(Stage& at) {
  int one = 1, sum = 0, done = 0;
  MPI_Request request;
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, at.comm, &request);
  while (done == 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (at.rank == 1) get(at.line, 0, 8);
}

// The root waits for nobody.
void ibcast_of_another(Stage& at) {
  int value = 0;
  MPI_Request request;
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  MPI_Ibcast(&value, 1, MPI_INT, 0, at.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (at.rank == 0) get(at.line, 0, 8);
}

// Three rounds of one pair of requests.
void persistent_requests(Stage& at) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (at.rank == 0) MPI_Send_init(nullptr, 0, MPI_INT, 1, 0, at.comm, &request);
  if (at.rank == 1) MPI_Recv_init(nullptr, 0, MPI_INT, 0, 0, at.comm, &request);
  for (int round = 0; round < 3; ++round) {
    if (at.rank == 0) put(at.line, 8 * round, 8 * round + 8), at.line.flush();
    if (at.rank < 2) MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (at.rank == 1) get(at.line, 8 * round, 8 * round + 8);
  }
  if (at.rank < 2) MPI_Request_free(&request);
}

}  // namespace

std::span<const Case> nonblocking() {
  static constexpr Case all[] = {
      {"ibarrier-wait-get", Verdict::right, 2, ibarrier_wait_get},
      {"ibarrier-get-wait", Verdict::wrong, 2, ibarrier_get_wait, "put by rank 0", "get by rank 1"},
      {"ibarrier-put-wait", Verdict::wrong, 2, ibarrier_put_wait, "put by rank 0", "get by rank 1"},
      {"iallreduce-test-get", Verdict::right, 2, iallreduce_test_get},
      {"ibcast-of-another", Verdict::wrong, 2, ibcast_of_another, "get by rank 0", "put by rank 1"},
      {"persistent-requests", Verdict::right, 2, persistent_requests},
  };
  return all;
}

}  // namespace cases
