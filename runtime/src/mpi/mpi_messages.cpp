// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <span>
#include <vector>

#include "base/activity.hpp"
#include "mpi/mpi_check.hpp"
#include "mpi/mpi_process.hpp"
#include "mpi/unyielding.hpp"
#include "order/own_calls.hpp"

// Messages between processes and agents.
namespace tessera::detail::mpi {

using order::OwnCalls;

MPI_Request isend(MPI_Comm comm, const void* data, index_t bytes, int rank, int tag) {
  const OwnCalls own;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(data, to_int(bytes), MPI_BYTE, rank, tag, comm, &request), "MPI_Isend");
  return request;
}

MPI_Request issend(MPI_Comm comm, const void* data, index_t bytes, int rank, int tag) {
  const OwnCalls own;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Issend(data, to_int(bytes), MPI_BYTE, rank, tag, comm, &request), "MPI_Issend");
  return request;
}

MPI_Request irecv(MPI_Comm comm, void* data, index_t bytes, int rank, int tag) {
  const OwnCalls own;
  MPI_Request request = MPI_REQUEST_NULL;
  const int source = rank == any_source ? MPI_ANY_SOURCE : rank;
  check(MPI_Irecv(data, to_int(bytes), MPI_BYTE, source, tag, comm, &request), "MPI_Irecv");
  return request;
}

// MPI_Test of MPICH makes progress even if the request is done, which takes several microseconds over TCP.
// MPI_Request_get_status and MPI_Wait of a request that is done make none.
bool test(MPI_Request& request, Arrived* arrived) {
  if (request == MPI_REQUEST_NULL) return true;
  const Unyielding unyielding;
  const OwnCalls own;
  int flag = 0;
  MPI_Status status;
  check(MPI_Request_get_status(request, &flag, &status), "MPI_Request_get_status");
  if (flag == 0) return false;
  if (arrived != nullptr) {
    int bytes = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    *arrived = {status.MPI_SOURCE, bytes};
  }
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  return true;
}

void cancel(MPI_Request& request) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  const OwnCalls own;
  check(MPI_Cancel(&request), "MPI_Cancel");
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

void complete(MPI_Request& request) noexcept {
  if (request == MPI_REQUEST_NULL) return;
  const OwnCalls own;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void wait_all(std::vector<MPI_Request>& requests) {
  const OwnCalls own;
  const int n = to_int(static_cast<index_t>(requests.size()));
  check(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests.clear();
}

// Not by MPI_Testall of MPICH, which makes progress even if all are done.
bool test_all(std::vector<MPI_Request>& requests) {
  while (!requests.empty() && test(requests.back())) requests.pop_back();
  return requests.empty();
}

void serve_until_all(std::vector<MPI_Request>& requests) {
  is_serving() ? serve_until([&] { return test_all(requests); }) : wait_all(requests);
}

void exchange(MPI_Comm comm, int other, std::span<const std::byte> sent, std::span<std::byte> received) {
  constexpr int tag = 32001;  // beyond those of MemberMessages, which may have the same communicator
  std::vector<MPI_Request> requests;
  in_messages(static_cast<index_t>(received.size()), [&](index_t begin, index_t length) {
    requests.push_back(irecv(comm, received.data() + begin, length, other, tag));
  });
  in_messages(static_cast<index_t>(sent.size()), [&](index_t begin, index_t length) {
    requests.push_back(isend(comm, sent.data() + begin, length, other, tag));
  });
  const activity::Wait waits("messages between two nodes");
  serve_until_all(requests);
}

}  // namespace tessera::detail::mpi
