// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <dlfcn.h>

#include "raw_file.hpp"

// Controls the preloaded library of failing_system.cpp, on one rank at a time.
namespace tessera::test {

/// The name of a file that can fail. No other job uses this name: Open MPI locks files by their names alone,
/// and keeps the lock of a job that was killed. @local
inline std::string failing_name(const Directory& directory) {
  return (directory / "").parent_path().filename().string() + "-failing.h5";
}

/// Kinds of system calls.
constexpr int writes = 1, sizes = 2, syncs = 4, opens = 8, reads = 16;

using Fail = int(int kinds, int but_first);
inline Fail* fail_function() {
  static const auto function = reinterpret_cast<Fail*>(dlsym(RTLD_DEFAULT, "tessera_test_fail"));
  return function;
}

/// While this lives, calls of these kinds fail on one rank, except the first `but_first`.
class Failing {
 public:
  Failing(int rank, int kinds, int but_first = 0) {
    if (world().rank() == rank) fail_function()(kinds, but_first);
  }
  ~Failing() { stop(); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  /// How many calls have failed, summed over all ranks. @collective
  int failed_calls() {
    stop();
    return world().all_reduce(failed_calls_, Reduce::sum);
  }

 private:
  void stop() { failed_calls_ += fail_function()(0, 0); }
  int failed_calls_ = 0;
};

}  // namespace tessera::test
