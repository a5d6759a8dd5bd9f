// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "node/node_memory.hpp"

// The variables TESSERA_... and the launchers' variables are all read here, when a Runtime starts.
namespace tessera::detail {

/// Every variable TESSERA_..., in the order of `variables`.
enum class Variable : std::size_t {
  node_size,
  progress,
  method,
  window,
  doorbell,
  memory_limit,
  shared_memory,
  huge_pages,
  io_progress,
  debug,
  statistics,
  trace,
  warnings,
};

/// A variable's name, what applies if it is not set, and what it does.
struct VariableText {
  const char *name, *unset, *meaning;
};
inline constexpr std::array variables{
    VariableText{"TESSERA_NODE_SIZE", "all ranks that share memory are a node",
                 "treat every k ranks of a machine as a node of their own"},
    VariableText{"TESSERA_PROGRESS", "thread if MPI grants level multiple, else poll",
                 "how agents run: thread, spin, poll, rank or rank:2"},
    VariableText{"TESSERA_METHOD", "automatic",
                 "how put and get travel between nodes: automatic, packed, batched or direct"},
    VariableText{"TESSERA_WINDOW", "on", "off: do not use MPI's windows"},
    VariableText{"TESSERA_DOORBELL", "on", "off: do not wake agents by datagrams"},
    VariableText{"TESSERA_MEMORY_LIMIT", "no limit", "the most a process may allocate in segments, such as 8G"},
    VariableText{"TESSERA_SHARED_MEMORY", "the first kind that works",
                 "the kind of shared memory: memfd, shm or mpi"},
    VariableText{"TESSERA_HUGE_PAGES", "on", "off: do not ask the kernel for huge pages"},
    // Read by tessera::io, at each transfer with a file.
    VariableText{"TESSERA_IO_PROGRESS", "shown at a terminal",
                 "progress of long transfers with files: on or off"},
    VariableText{"TESSERA_DEBUG", "no watchdog, no checks",
                 "hang:60 ends a job that stands still for 60 s; conflicts reports accesses without an order"},
    VariableText{"TESSERA_STATISTICS", "off", "any value: print the one-sided operations at the end"},
    VariableText{"TESSERA_TRACE", "no trace", "the file to which a trace of the program is written"},
    VariableText{"TESSERA_WARNINGS", "on", "off: print no warnings"},
};
constexpr const VariableText& text_of(Variable variable) noexcept {
  return variables[static_cast<std::size_t>(variable)];
}

/// The values of all variables, by Variable; empty if they are not set.
using EnvironmentTexts = std::array<std::string, variables.size()>;

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
  std::chrono::seconds hang{0};                       // TESSERA_DEBUG=hang:60; 0: not asked for
  bool conflicts = false;                             // TESSERA_DEBUG=conflicts
  bool conflicts_abort = false;                       // TESSERA_DEBUG=conflicts,abort
  index_t conflicts_memory = index_t{256} << 20;      // TESSERA_DEBUG=conflicts:256M, bytes of this process
  EnvironmentTexts values;                            // as they were written

  /// The settings that texts stand for. @local @throws UsageError for the first that cannot be understood
  static Environment parse(const EnvironmentTexts& texts);
  /// @collective @throws UsageError on every process if a variable on one cannot be understood. The message
  /// names the variable and its possible values.
  static Environment read(MPI_Comm comm, const RuntimeOptions& options);
  /// The mode that was asked for, or else the best one that MPI's thread level (the least of all processes)
  /// allows. @local @throws UsageError if the mode asked for is not possible
  ProgressMode mode(ThreadLevel threads) const;
  /// The value of a variable; empty if it is not set. @local
  const std::string& value(Variable variable) const noexcept {
    return values[static_cast<std::size_t>(variable)];
  }
  /// The variable as one sets it: "TESSERA_PROGRESS=poll". @local
  std::string assignment(Variable variable) const;
};

/// Whether agents may need a thread that calls MPI, and why.
struct ThreadNeed {
  bool may_be = true;
  std::string reason;
};
/// Asked before MPI is started. There is no need only if the launcher's variables say that all ranks are on
/// this host, or TESSERA_PROGRESS asks for another mode than `thread` and `spin`. @local
ThreadNeed thread_need();

}  // namespace tessera::detail
