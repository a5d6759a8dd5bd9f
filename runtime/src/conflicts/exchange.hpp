// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/types.hpp>

namespace tessera::detail::conflicts {

/// The processes that compare their accesses.
struct Members {
  MPI_Comm comm;
  const std::vector<int>& world_ranks;
  int rank;                 // in comm
  std::uint64_t group = 0;  // whose segments are compared; 0: all
  bool are_the_world = false;
};

struct CheckOptions {
  index_t limit = 0;    // bytes of recorded accesses
  bool aborts = false;  // ends the job at the first conflict
};

/// Begins to record. The exit status of the process will tell of conflicts. @local
void start_check(int world_rank, const CheckOptions& options);
/// Compares the accesses that the members have made to each other's memory, reports conflicts on the first
/// member's standard error, and forgets all accesses that a synchronisation of the members orders before what
/// follows. @collective
void compare_accesses(const Members& members);
/// Compares what is left, prints the numbers on rank 0, and ends the check. Then all ranks have the same exit
/// status. @collective over the world
void finish_check(const Members& world);

/// The exit status of a program that ended well otherwise, but had conflicts.
inline constexpr int status_of_conflicts = 66;

}  // namespace tessera::detail::conflicts
