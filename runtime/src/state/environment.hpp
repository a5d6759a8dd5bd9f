// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <string>

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "node/node_memory.hpp"

// The variables TESSERA_... and the launchers' variables are all read here, when a Runtime starts.
namespace tessera::detail {

/// The values of the variables; empty if they are not set.
struct EnvironmentTexts {
  std::string node_size, method, progress, shared_memory, huge_pages, window, doorbell, statistics, warnings,
      debug, memory_limit;
};

/// The settings, the same on all processes as on rank 0: a launcher need not pass variables to all hosts. Only
/// memory_limit is each process's own.
struct Environment {
  int node_size = 0;         // TESSERA_NODE_SIZE: most ranks that count as a node; 0: as many as there are
  index_t memory_limit = 0;  // bytes; the options', or TESSERA_MEMORY_LIMIT, or the largest number
  TransferMethod method = TransferMethod::automatic;  // TESSERA_METHOD
  std::optional<ProgressMode> progress;               // TESSERA_PROGRESS, if it says something
  int progress_ranks = 0;                             // TESSERA_PROGRESS=rank:2, on each node; 0 in other modes
  SharedMemory shared_memory = SharedMemory::any;     // TESSERA_SHARED_MEMORY
  bool huge_pages = true;                             // TESSERA_HUGE_PAGES
  bool windows = true;                                // TESSERA_WINDOW
  bool doorbells = true;                              // TESSERA_DOORBELL
  bool statistics = false;                            // TESSERA_STATISTICS
  bool warnings = true;                               // TESSERA_WARNINGS
  std::chrono::seconds hang{0};                       // TESSERA_DEBUG=hang:60; 0: not asked for

  /// The settings that texts stand for. @local @throws UsageError for the first that cannot be understood
  static Environment parse(const EnvironmentTexts& texts);
  /// @collective @throws UsageError on every process if a variable on one cannot be understood. The message
  /// names the variable and its possible values.
  static Environment read(MPI_Comm comm, const RuntimeOptions& options);
  /// The mode that was asked for, or else the best one that MPI's thread level (the least of all processes)
  /// allows. @local @throws UsageError if the mode asked for is not possible
  ProgressMode mode(ThreadLevel threads) const;
};

/// Asked before MPI is started: whether agents may need a thread that calls MPI, too. False only if the
/// launcher's variables say that all ranks are on this host, or TESSERA_PROGRESS asks for another mode than
/// `thread` and `spin`. @local
bool may_need_thread();

}  // namespace tessera::detail
