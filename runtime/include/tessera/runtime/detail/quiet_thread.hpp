// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace tessera::detail {

/// A thread that takes no signals of the program: they come to the program's own threads, which may wait for
/// them by sigwait. It takes those of its own mistakes, those of profilers, and real-time signals. @local
/// @throws std::system_error as std::thread
template <class F>
std::thread quiet_thread(F&& f) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&blocked, own);
  for (int own = SIGRTMIN; own <= SIGRTMAX; ++own) sigdelset(&blocked, own);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  struct Restored {
    const sigset_t& before;
    ~Restored() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } restored{before};
  return std::thread(std::forward<F>(f));
}

}  // namespace tessera::detail
