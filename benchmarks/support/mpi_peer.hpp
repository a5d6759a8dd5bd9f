// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <mpi.h>

#include <tessera/runtime/group.hpp>

/// MPI itself, for comparison.
namespace tessera::benchmark::mpi_peer {

/// Memory of all members of a group, for one-sided operations within an epoch that lasts as long as the window:
/// MPI_Win_allocate and MPI_Win_lock_all, with all that helps an implementation. @collective to make and
/// destroy
class Window {
 public:
  Window(const Group& group, index_t bytes);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// This rank's part. @local
  double* own() const noexcept { return static_cast<double*>(base_); }
  /// `count` elements to, from and onto the first ones of a rank's part; done there on return (MPI_Win_flush).
  /// @onesided
  void put(int rank, const double* from, int count);
  void get(int rank, double* into, int count);
  void accumulate(int rank, const double* from, int count);
  /// Everybody's operations are done, and seen by the owners. @collective
  void sync();

 private:
  void flush(int rank);
  MPI_Comm comm_;
  void* base_;
  MPI_Win win_;
};

/// Makes a window of so many bytes for each member, and frees it. @collective
void allocate_and_free(const Group& group, index_t bytes);

/// MPI_Barrier. @collective
void barrier(const Group& group);

/// A message of `bytes` from rank 0 to rank `partner`, and another one back; other ranks do nothing.
/// @collective
void ping_pong(const Group& group, int partner, void* buffer, index_t bytes);

}  // namespace tessera::benchmark::mpi_peer
