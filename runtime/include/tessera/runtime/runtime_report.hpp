// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

namespace tessera {

/// What a Runtime has found or chosen, and the variable or the finding that decided.
struct Finding {
  std::string value, reason;
};

/// An environment variable that Tessera reads.
struct Setting {
  std::string name;
  /// The value that applies, as it was written; empty if the variable is not set.
  std::string value;
  /// What applies if the variable is not set.
  std::string unset;
  std::string meaning;
  /// Whether rank 0's value applies to all ranks. If not, each process has its own.
  bool is_shared = true;
};

/// What a Runtime has found on this machine and chosen, as one process sees it. The program tessera-info prints
/// it.
struct RuntimeReport {
  /// All that the MPI library says of itself.
  std::string mpi;
  /// MPI's thread level.
  Finding threads;
  /// Whether TESSERA_NODE_SIZE cuts machines into pretended nodes.
  bool has_pretended_nodes = false;
  /// The kind of memory that the processes of a node share: "memfd", "shm" or "mpi".
  Finding shared_memory;
  /// Bytes of a huge page, for large slices; 0 if Tessera asks for none. The kernel may still refuse.
  index_t huge_page = 0;
  std::string huge_page_reason;

  /// The mode of progress. The four findings after it are empty if all processes are on one node.
  Finding progress;
  /// Whether operations between nodes progress while their target computes.
  Finding guarantee;
  /// How agents that sleep are woken.
  Finding doorbell;
  /// Whether MPI's windows can be used.
  Finding window;
  bool has_window = false;
  /// How put and get travel between nodes.
  Finding method;
  /// What may make the program slow or let it stand still, one sentence each; the same on all processes.
  std::vector<std::string> warnings;

  /// The processors that the calling thread may run on; empty if the system does not say.
  std::vector<int> cores;
  /// Whether more processes may run on these processors than there are processors.
  bool is_crowded = false;
  /// The most this process may allocate in segments; the largest index_t if there is no limit.
  index_t memory_limit = 0;
  std::string memory_limit_reason;
  /// What the machine and its control groups leave to all processes of the node, and which of these decided.
  index_t memory_available = 0;
  std::string memory_available_reason;
  /// The size of /dev/shm and what is left of it.
  index_t shm_size = 0, shm_room = 0;

  /// All environment variables that Tessera reads.
  std::vector<Setting> settings;
};

/// Reports what a Runtime has found and chosen. @local
RuntimeReport runtime_report(const Runtime& runtime);

}  // namespace tessera
