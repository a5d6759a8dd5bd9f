// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// What the library of patience.cpp has for MPICH 4.0.2, between MPICH and its UCX.
#include <dlfcn.h>
#include <sched.h>

// Yields the core when UCX had nothing to do in 32 calls in a row. MPICH spins while it waits. With more ranks
// than cores, a message then takes the scheduler's time slices, and a test takes 100 times as long. Most calls
// do not yield: MPICH holds its lock here, and keeps it from the other threads of the process until this one
// has the core again (docs/decisions.md).
extern "C" [[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker) {
  static const auto progress = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  constexpr int patience = 32;
  thread_local int idle = 0;
  const unsigned done = progress(worker);
  if (done != 0) {
    idle = 0;
  } else if (++idle == patience) {
    idle = 0;
    sched_yield();
  }
  return done;
}

// Does not close the connection; the result 0 says that it is closed. Connections end with the worker anyway.
// MPI_Finalize closes them and then waits in the launcher's barrier without progress. Over TCP the last rank to
// close then waits for ever (UCX issue 8738; MPI_Barrier and MPI_Finalize on 3 ranks are enough).
extern "C" [[gnu::visibility("default")]] void* ucp_disconnect_nb(void*) { return nullptr; }
