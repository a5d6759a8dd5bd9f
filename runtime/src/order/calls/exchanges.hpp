// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <mpi.h>

#include "order/shadows.hpp"
#include "order/tracked.hpp"

namespace tessera::detail::order::calls {

/// From which members of a collective call order comes to which.
enum class Flow { all, from_root, to_root, upwards };

/// Whether all members from which order comes to this one send it elements. Those that send none may come
/// later.
enum class Sent { by_all, by_some };
/// By the counts of each member's elements for this one. Those of this process itself do not matter. @local
template <class Count>
Sent sent(const Count counts[], MPI_Comm comm) noexcept {
  int between = 0, rank = 0, size = 0;
  PMPI_Comm_test_inter(comm, &between);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  for (int r = 0; r < size && between == 0; ++r) {
    if (r != rank && counts[r] == 0) return Sent::by_some;
  }
  return Sent::by_all;
}
/// The same where all members add to this one's elements. @local
template <class Count>
Sent sent_to_me(const Count counts[], MPI_Comm comm) noexcept {
  int between = 0, rank = 0;
  PMPI_Comm_test_inter(comm, &between);
  PMPI_Comm_rank(comm, &rank);
  return between == 0 && counts[rank] == 0 ? Sent::by_some : Sent::by_all;
}
/// The same at the root of a call; other members have no counts. @local
template <class Count>
Sent sent_to_root(const Count counts[], int root, MPI_Comm comm) noexcept {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root ? sent(counts, comm) : Sent::by_all;
}
/// The same for elements of the root. @local
template <class Count>
Sent sent_by_root(Count count, int root, MPI_Comm comm) noexcept {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank != root && count == 0 ? Sent::by_some : Sent::by_all;
}

/// Exchanges the clocks of a collective call, before the call itself. Without elements of all, the order is
/// unknown, and no clock is taken in.
void exchange(Flow flow, MPI_Comm comm, int root, const char* call);
void exchange(Flow flow, MPI_Comm comm, int root, Sent sent, const char* call);
void exchange(Flow flow, const Shadow& shadow, int root);

/// The same for a nonblocking call: the order arrives when its request completes.
std::shared_ptr<Tracked> start_exchange(Flow flow, MPI_Comm comm, int root, const char* call);
std::shared_ptr<Tracked> start_exchange(Flow flow, MPI_Comm comm, int root, Sent sent, const char* call);
/// Duplicates the shadow for MPI_Comm_idup.
std::shared_ptr<Tracked> duplicate_shadow(MPI_Comm comm, MPI_Comm* made);
void follow(int code, MPI_Request* request, std::shared_ptr<Tracked> tracked);

}  // namespace tessera::detail::order::calls
