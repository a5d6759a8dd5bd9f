// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::stress {

/// Runs f(0), ..., f(count - 1) at once, each in a thread of its own. @local @throws what one of them throws,
/// when all have ended
template <class F>
void on_threads(index_t count, F&& f) {
  std::vector<std::exception_ptr> problems(static_cast<std::size_t>(count));
  const auto guarded = [&](index_t thread) {
    try {
      f(thread);
    } catch (...) {
      problems[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (index_t thread = 1; thread < count; ++thread) others.emplace_back(guarded, thread);
  guarded(0);
  for (std::thread& one : others) one.join();
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace tessera::stress
