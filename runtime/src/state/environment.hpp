// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "node/node_memory.hpp"

// What the variables TESSERA_... and those of launchers say when a Runtime starts: all of them are read here.
namespace tessera::detail {

/// The same on all processes, as rank 0 has them: a launcher need not hand variables to all hosts. Except for
/// memory_limit, which is each process's own.
struct Environment {
  int node_size = 0;         // TESSERA_NODE_SIZE: most ranks that count as a node; 0: as many as there are
  index_t memory_limit = 0;  // bytes; the options', or TESSERA_MEMORY_LIMIT, or the largest number
  TransferMethod method = TransferMethod::automatic;  // TESSERA_METHOD
  std::optional<ProgressMode> progress;               // TESSERA_PROGRESS, if it says something
  int progress_ranks = 0;                             // TESSERA_PROGRESS=rank:2, on each node; 0 in other modes
  SharedMemory shared_memory = SharedMemory::any;     // TESSERA_SHARED_MEMORY
  bool windows = true;                                // TESSERA_WINDOW
  bool doorbells = true;                              // TESSERA_DOORBELL
  bool statistics = false;                            // TESSERA_STATISTICS
  bool warnings = true;                               // TESSERA_WARNINGS
  std::chrono::seconds hang{0};                       // TESSERA_DEBUG=hang:60; 0: not asked for

  /// @collective @throws UsageError on every process if a variable on one cannot be understood; it names it and
  /// what it may be.
  static Environment read(MPI_Comm comm, const RuntimeOptions& options);
  /// The mode that was wished for, or else the best that MPI's thread level, the least of all processes,
  /// allows.
  /// @local @throws UsageError if the wish cannot be met
  ProgressMode mode(ThreadLevel threads) const;
};

/// Before MPI is started: whether agents may need a thread that calls MPI too. False only if the launcher's
/// variables say that all ranks are on this host, or TESSERA_PROGRESS says that somebody else runs them. @local
bool may_need_thread();

}  // namespace tessera::detail
