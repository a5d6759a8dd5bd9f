// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/detail/quiet_thread.hpp>

#include <gtest/gtest.h>

namespace tessera::detail {
namespace {

TEST(QuietThread, takes_no_signals_of_the_program) {
  sigset_t before, inside, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  quiet_thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); }).join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGALRM, SIGCHLD})
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGRTMIN, SIGRTMAX})
    EXPECT_EQ(sigismember(&inside, signal), 0) << signal;
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
}

}  // namespace
}  // namespace tessera::detail
