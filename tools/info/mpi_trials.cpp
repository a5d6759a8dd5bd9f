// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_trials.hpp"

#include <cstdint>

#include <mpi.h>

#include "pairing.hpp"

namespace tessera::info {
namespace {

// The problem that an MPI function returned; empty if there is none.
std::string problem_of(int code, const char* function) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(function) + " failed: " + std::string(text, static_cast<std::size_t>(length));
}

std::int64_t value(int rank, int i) { return std::int64_t{rank} * 1'000'000 + i; }

// A message of `count` elements to the target, and one of the same length from the origin.
std::string exchange(MPI_Comm comm, int rank, const Pairing& pairing, int count) {
  const int from = pairing.origins.front().rank;
  std::vector<std::int64_t> sent, received(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) sent.push_back(value(rank, i));
  const int code = MPI_Sendrecv(sent.data(), count, MPI_INT64_T, pairing.target, count, received.data(), count,
                                MPI_INT64_T, from, count, comm, MPI_STATUS_IGNORE);
  if (auto problem = problem_of(code, "MPI_Sendrecv"); !problem.empty()) return problem;
  for (int i = 0; i < count; ++i) {
    const std::int64_t found = received[static_cast<std::size_t>(i)];
    if (found == value(from, i)) continue;
    return "element " + std::to_string(i) + " of the message from rank " + std::to_string(from) + " is " +
           std::to_string(found) + ", and should be " + std::to_string(value(from, i));
  }
  return {};
}

std::string reduce(MPI_Comm comm, int rank, int size) {
  std::int64_t sum = rank + 1;
  const std::int64_t expected = std::int64_t{size} * (size + 1) / 2;
  const int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  if (auto problem = problem_of(code, "MPI_Allreduce"); !problem.empty()) return problem;
  if (sum == expected) return {};
  return "the sum is " + std::to_string(sum) + ", and should be " + std::to_string(expected);
}

}  // namespace

void mpi_trials(std::vector<Trial>& trials, const Group& world, TimeLimit& limit) {
  const Pairing pairing = to_next_rank(world);
  limit.doing("self-test: MPI_Comm_dup");
  MPI_Comm comm = MPI_COMM_NULL;
  const auto problem = problem_of(MPI_Comm_dup(world.mpi_comm(), &comm), "MPI_Comm_dup");
  add_trial(trials, world, {"MPI_Comm_dup", "all ranks", "MPI", {}}, problem);
  if (!trials.back().problem.empty()) return;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);

  limit.doing("self-test: MPI_Allreduce");
  add_trial(trials, world, {"MPI_Allreduce", "all ranks", "MPI", {}}, reduce(comm, world.rank(), world.size()));

  constexpr int many = 25'600;  // more than MPI sends without asking the receiver
  for (const int count : {1, many}) {
    const std::string what = "MPI message of " + std::to_string(count * 8) + " bytes";
    limit.doing("self-test: " + what);
    add_trial(trials, world, {what, pairing.name, "MPI", {}}, exchange(comm, world.rank(), pairing, count));
  }
  MPI_Comm_free(&comm);
}

}  // namespace tessera::info
