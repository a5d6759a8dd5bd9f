// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/detail/unique_handle.hpp>
#include <tessera/runtime/group.hpp>
#include <tessera/runtime/types.hpp>

// Every MPI function that Tessera calls, checked, in one place. Counts are 64-bit here; the conversion to MPI's
// int, and the splitting of what does not fit, happens in mpi.cpp.
namespace tessera::detail::mpi {

/// The most bytes given to one MPI call: counts are int inside MPICH 4.0 even where the interface takes more.
inline constexpr index_t max_bytes = index_t{1} << 30;

struct CommTraits {
  using Handle = MPI_Comm;
  static Handle null() noexcept { return MPI_COMM_NULL; }
  static void free(Handle handle) noexcept;
};
struct WinTraits {
  using Handle = MPI_Win;
  static Handle null() noexcept { return MPI_WIN_NULL; }
  static void free(Handle handle) noexcept;
};
using Comm = UniqueHandle<CommTraits>;
using Win = UniqueHandle<WinTraits>;

bool initialized();
bool finalized() noexcept;
int init_thread(int& argc, char**& argv, int required);
void finalize();
int query_thread();
void abort(MPI_Comm comm, int code) noexcept;
std::string library_version();

Comm dup(MPI_Comm comm);
Comm split(MPI_Comm comm, int color, int key);
Comm split_shared(MPI_Comm comm);
int rank(MPI_Comm comm);
int size(MPI_Comm comm);

void barrier(MPI_Comm comm);
/// Gives MPI a chance to move messages on (MPI standard 3.8.1).
void progress(MPI_Comm comm);
void broadcast(MPI_Comm comm, void* data, index_t bytes, int root);
void all_gather(MPI_Comm comm, const void* value, void* all, index_t bytes);
void all_reduce(MPI_Comm comm, void* data, index_t count, ElementKind kind, Reduce operation);

/// A window over memory the caller owns, locked for all (MPI standard 12.5.3) until it is freed. Null if MPI
/// cannot make one on this communicator; then `why` says what MPI said.
Win create_window(MPI_Comm comm, void* base, index_t bytes, std::string& why);
bool is_unified(MPI_Win win);
void put(MPI_Win win, int rank, index_t offset, const void* source, index_t bytes);
void get(MPI_Win win, int rank, index_t offset, void* target, index_t bytes);
void accumulate_sum(MPI_Win win, int rank, index_t offset, ElementKind kind, const void* source, index_t bytes);
void fetch_and_add(MPI_Win win, int rank, index_t offset, ElementKind kind, const void* value, void* result);
void flush(MPI_Win win, int rank);
void flush_local(MPI_Win win, int rank);
void sync_memory(MPI_Win win);

/// Memory that MPI may have registered, for buffers that live long.
void* alloc_mem(index_t bytes);
void free_mem(void* memory) noexcept;
/// Memory shared by a communicator of one node, all of it allocated by rank 0 (MPI standard 12.2.3).
Win allocate_shared(MPI_Comm node, index_t bytes_on_root, void*& base_of_root);

}  // namespace tessera::detail::mpi
