// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Preloaded into the programs that the tests start with MPICH 4.0.2, between it and its UCX.
#include <dlfcn.h>
#include <sched.h>

// MPICH spins while it waits, so that with more ranks than cores a message takes the scheduler's time slices,
// and a test 100 times as long. UCX says when there was nothing to do.
extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto progress = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned done = progress(worker);
  if (done == 0) sched_yield();
  return done;
}

// MPI_Finalize closes the connections and then waits in the launcher's barrier, where nobody makes progress:
// over TCP the last to close waits for ever (UCX issue 8738; MPI_Barrier and MPI_Finalize on 3 ranks are
// enough). Connections need not be closed, they end with the worker; 0 says that it is done.
extern "C" void* ucp_disconnect_nb(void*) { return nullptr; }
