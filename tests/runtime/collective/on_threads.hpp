// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "comparison.hpp"
#include "mpi_test.hpp"

namespace tessera::test {

inline constexpr int threads = 4;

/// Runs f(thread) on all threads at once. Rethrows an exception of one of them.
template <class F>
void on_threads(F&& f) {
  std::vector<std::thread> running;
  std::exception_ptr thrown;
  std::mutex guard;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      try {
        f(t);
      } catch (...) {
        const std::lock_guard lock(guard);
        thrown = std::current_exception();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

/// Runs f(thread, comparison) on all threads at once. Each thread has a comparison of its own.
template <class F>
void compare_on_threads(F&& f) {
  std::vector<Comparison> compared(threads);
  on_threads([&](int thread) { f(thread, compared[at(thread)]); });
  for (int thread = 0; thread < threads; ++thread)
    EXPECT_TRUE(compared[at(thread)].equal()) << "thread " << thread;
}

/// The number of this thread among the threads of all ranks.
inline int number(int thread) { return world().rank() * threads + thread; }
inline int all_threads() { return world().size() * threads; }

}  // namespace tessera::test
