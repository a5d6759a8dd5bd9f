// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Preloaded into the programs that the tests start: MPICH spins while it waits, so that with more ranks than
// cores a message takes the scheduler's time slices, and a test 100 times as long. Its UCX says when there was
// nothing to do.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  static const auto progress = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned done = progress(worker);
  if (done == 0) sched_yield();
  return done;
}
