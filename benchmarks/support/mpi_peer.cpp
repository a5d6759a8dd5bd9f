// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi_peer.hpp"

#include <exception>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark::mpi_peer {
namespace {

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw MpiError(std::string(call) + " failed in a benchmark", code);
}

MPI_Win allocate(MPI_Comm comm, index_t bytes, void*& base) {
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Info_create(&info), "MPI_Info_create");
  check(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");
  check(MPI_Info_set(info, "same_disp_unit", "true"), "MPI_Info_set");
  MPI_Win win = MPI_WIN_NULL;
  check(MPI_Win_allocate(bytes, sizeof(double), info, comm, &base, &win), "MPI_Win_allocate");
  check(MPI_Info_free(&info), "MPI_Info_free");
  return win;
}

}  // namespace

Window::Window(const Group& group, index_t bytes)
    : comm_(group.mpi_comm()), base_(nullptr), win_(allocate(comm_, bytes, base_)) {
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

Window::~Window() {
  // All ranks must come, which they do not when one of them unwinds.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(win_);
  MPI_Win_free(&win_);
}

void Window::put(int rank, const double* from, int count) {
  check(MPI_Put(from, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win_), "MPI_Put");
  flush(rank);
}

void Window::get(int rank, double* into, int count) {
  check(MPI_Get(into, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win_), "MPI_Get");
  flush(rank);
}

void Window::accumulate(int rank, const double* from, int count) {
  check(MPI_Accumulate(from, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win_), "MPI_Accumulate");
  flush(rank);
}

void Window::flush(int rank) { check(MPI_Win_flush(rank, win_), "MPI_Win_flush"); }

void Window::sync() {
  check(MPI_Win_flush_all(win_), "MPI_Win_flush_all");
  check(MPI_Win_sync(win_), "MPI_Win_sync");
  check(MPI_Barrier(comm_), "MPI_Barrier");
  check(MPI_Win_sync(win_), "MPI_Win_sync");
}

void allocate_and_free(const Group& group, index_t bytes) {
  void* base = nullptr;
  MPI_Win win = allocate(group.mpi_comm(), bytes, base);
  check(MPI_Win_free(&win), "MPI_Win_free");
}

void barrier(const Group& group) { check(MPI_Barrier(group.mpi_comm()), "MPI_Barrier"); }

void ping_pong(const Group& group, int partner, void* buffer, index_t bytes) {
  constexpr int tag = 1;
  const MPI_Comm comm = group.mpi_comm();
  const int count = static_cast<int>(bytes), me = group.rank();
  const auto send = [&](int to) { check(MPI_Send(buffer, count, MPI_BYTE, to, tag, comm), "MPI_Send"); };
  const auto receive = [&](int from) {
    check(MPI_Recv(buffer, count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  };
  if (me == 0) send(partner), receive(partner);
  if (me == partner) receive(0), send(0);
}

}  // namespace tessera::benchmark::mpi_peer
