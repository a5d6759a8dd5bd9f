// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <mpi.h>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/statistics.hpp>

namespace tessera {

namespace detail {
class RuntimeState;
}

/// MPI's thread levels (MPI standard, section 11.6), for the level requested and the level granted.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// The name of a level, such as "funneled". @local
const char* to_string(ThreadLevel level) noexcept;

/// How one-sided operations of other nodes make progress in this process while the program computes.
enum class ProgressMode {
  none,    ///< not needed: all processes share memory
  thread,  ///< by a thread of each process, which sleeps until it is needed
  poll,    ///< by each thread that calls Tessera; an operation waits until its target does so
  rank,    ///< by processes that do nothing else, some on each node, which the program does not see
  spin,    ///< as thread, but the thread never sleeps: it needs a core beside that of the program's thread
};

/// The name of a mode, such as "thread". @local
const char* to_string(ProgressMode mode) noexcept;

struct RuntimeOptions {
  /// The lowest level requested when the runtime starts MPI. If the job may span nodes, the runtime requests
  /// multiple, so that the progress thread may call MPI too.
  ThreadLevel threads = ThreadLevel::funneled;
  /// Bytes this process may allocate in segments; also set by TESSERA_MEMORY_LIMIT (with suffix K, M, G or T).
  std::optional<index_t> memory_limit = {};
};

/// Memory that can still be allocated, in bytes.
struct MemoryLeft {
  /// What the memory limit leaves to this process; the largest index_t if there is no limit.
  index_t process = 0;
  /// What the machine and its control groups leave to all processes of the node together. Other programs may
  /// take it at any time.
  index_t node = 0;
};

/// The lifetime of Tessera in a process: construct it before anything else, destroy it last.
///
/// If an exception leaves main or unwinds past the Runtime on one rank, this rank prints `[rank r of n] ...`.
/// It aborts the job at once, so that the other ranks do not wait for ever. It does the same if the Runtime
/// cannot start or end on this rank alone, for example because a call of MPI fails.
class Runtime {
 public:
  /// Starts MPI if it has not been started; the destructor then ends it. @collective over MPI_COMM_WORLD
  /// @throws UsageError on every process if an environment variable of one cannot be understood, or MPI has
  /// ended.
  Runtime(int& argc, char**& argv, RuntimeOptions options = {});
  /// Attaches to a running MPI: duplicates `parent`, and leaves MPI running. Several Runtimes may exist at
  /// once, for example of two libraries. @collective over `parent` @throws as the other constructor, or if MPI
  /// is not running
  explicit Runtime(MPI_Comm parent, RuntimeOptions options = {});
  /// Frees everything that is left, and ends MPI if the constructor started it. @collective
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// All processes. @local
  const Group& world() const noexcept;
  /// The thread level that MPI granted. @local
  ThreadLevel thread_level() const noexcept;
  /// The progress mode, chosen when the Runtime starts or by TESSERA_PROGRESS. @local
  ProgressMode progress() const noexcept;
  /// Bytes of segments that this process holds now. @local
  index_t memory_in_use() const noexcept;
  /// The most that memory_in_use() has been since the Runtime began, or since reset_memory_peak(). So a program
  /// can tell how much memory a step takes, temporary arrays included. @local
  index_t memory_peak() const noexcept;
  /// Begins memory_peak() anew, with what is in use now. @local
  void reset_memory_peak() const noexcept;
  /// What segments may still take: a segment fits if each process has its own part left, and the node has the
  /// sum. @local
  MemoryLeft memory_left() const;
  /// The open segment that a pointer points into, with rank and offset; empty for other memory. @local
  std::optional<Location> locate(const void* pointer) const;
  /// The one-sided operations of this process on all segments so far, without targets. Also printed when the
  /// Runtime ends, summed over all ranks, if TESSERA_STATISTICS is set. @local
  Statistics statistics() const;
  /// One readable line: version, MPI library, ranks, nodes, thread level, path between nodes. @local
  std::string description() const;

 private:
  std::shared_ptr<detail::RuntimeState> state_;
  int exceptions_at_start_;
  bool owns_mpi_ = false;
};

/// Tessera's version, such as "0.1.0". @local
const char* version() noexcept;

}  // namespace tessera
