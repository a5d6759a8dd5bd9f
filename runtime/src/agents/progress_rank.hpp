// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "mpi/mpi.hpp"

// Agents in processes of their own: the last ranks of each node, which the program never sees.
namespace tessera::detail {

/// Which ranks compute and which serve.
struct ProgressRanks {
  mpi::Comm all, world;     // world: of the ranks that compute; null in a process that serves
  std::vector<int> agents;  // agents[r]: the rank in `all` of the process that serves world rank r
};

/// Takes `per_node` ranks from each node. With one node there is nothing to serve: then no rank is taken, and
/// `agents` is empty. @collective @throws UsageError on every rank if a node has no rank left to compute
ProgressRanks take_progress_ranks(MPI_Comm parent, int per_node, int node_size_limit);

/// Serves until all processes that this one serves have left. @collective, with the construction of Progress
void serve_node(const ProgressRanks& ranks);

/// The lowest rank on this process's node. MPI says which ranks share a machine; if `limit` is not 0, these are
/// cut into nodes of `limit` ranks. @collective
int find_node_leader(MPI_Comm comm, int limit);

}  // namespace tessera::detail
