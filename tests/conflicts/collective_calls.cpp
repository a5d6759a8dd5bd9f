// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <vector>

#include "cases.hpp"

// Collective calls of MPI and of groups. Only some of them order all ranks.
namespace cases {
namespace {

// All ranks wait for the root, which has put before.
void broadcast_of_the_writer(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  at.world.broadcast(1.0, 0);
  if (at.rank == 1) get(at.line, 0, 8);
}

// The root waits for nobody.
void broadcast_of_another(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  at.world.broadcast(1.0, 0);
  if (at.rank == 0) get(at.line, 0, 8);
}

// The root waits for all ranks.
void reduce_to_the_reader(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  at.world.reduce(1.0, Reduce::sum, 0);
  if (at.rank == 0) get(at.line, 0, 8);
}

// Only the root waits.
void reduce_to_the_writer(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  at.world.reduce(1.0, Reduce::sum, 0);
  if (at.rank == 1) get(at.line, 0, 8);
}

// All ranks wait for all.
void all_reduce(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  at.world.all_reduce(1.0, Reduce::sum);
  if (at.rank == 1) get(at.line, 0, 8);
}

// A barrier of MPI is as good as one of a group.
void mpi_barrier(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Barrier(at.comm);
  if (at.rank == 1) get(at.line, 0, 8);
}

// And it completes as little.
void mpi_barrier_without_flush(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  MPI_Barrier(at.comm);
  if (at.rank == 1) get(at.line, 0, 8);
}

// The root waits for nobody.
void mpi_broadcast_of_another(Stage& at) {
  int value = 0;
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  MPI_Bcast(&value, 1, MPI_INT, 0, at.comm);
  if (at.rank == 0) get(at.line, 0, 8);
}

// The root waits for all ranks.
void mpi_gather_to_the_reader(Stage& at) {
  std::vector<int> all(static_cast<std::size_t>(at.world.size()));
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  MPI_Gather(&at.rank, 1, MPI_INT, all.data(), 1, MPI_INT, 0, at.comm);
  if (at.rank == 0) get(at.line, 0, 8);
}

// Rank 1 waits for rank 0.
void mpi_scan_upwards(Stage& at) {
  int sum = 0;
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  MPI_Scan(&at.rank, &sum, 1, MPI_INT, MPI_SUM, at.comm);
  if (at.rank == 1) get(at.line, 0, 8);
}

// Rank 0 waits for nobody.
void mpi_scan_downwards(Stage& at) {
  int sum = 0;
  if (at.rank == 1) put(at.line, 0, 8), at.line.flush();
  MPI_Scan(&at.rank, &sum, 1, MPI_INT, MPI_SUM, at.comm);
  if (at.rank == 0) get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> collective_calls() {
  static constexpr Case all[] = {
      {"broadcast-of-the-writer", Verdict::right, 2, broadcast_of_the_writer},
      {"broadcast-of-another", Verdict::wrong, 2, broadcast_of_another, "get by rank 0", "put by rank 1"},
      {"reduce-to-the-reader", Verdict::right, 2, reduce_to_the_reader},
      {"reduce-to-the-writer", Verdict::wrong, 2, reduce_to_the_writer, "put by rank 0", "get by rank 1"},
      {"all-reduce", Verdict::right, 2, all_reduce},
      {"mpi-barrier", Verdict::right, 2, mpi_barrier},
      {"mpi-barrier-without-flush", Verdict::wrong, 2, mpi_barrier_without_flush, "put by rank 0",
       "get by rank 1"},
      {"mpi-broadcast-of-another", Verdict::wrong, 2, mpi_broadcast_of_another, "get by rank 0",
       "put by rank 1"},
      {"mpi-gather-to-the-reader", Verdict::right, 2, mpi_gather_to_the_reader},
      {"mpi-scan-upwards", Verdict::right, 2, mpi_scan_upwards},
      {"mpi-scan-downwards", Verdict::wrong, 2, mpi_scan_downwards, "get by rank 0", "put by rank 1"},
  };
  return all;
}

}  // namespace cases
