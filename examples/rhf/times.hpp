// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

namespace rhf {

/// Seconds spent in the parts of a calculation.
struct Times {
  double one_electron = 0, fock = 0, linear_algebra = 0, files = 0;
};

/// Seconds that a rank spent in the parts of Fock builds.
struct FockTimes {
  double counter = 0;     ///< drawing tasks
  double get = 0;         ///< fetching the density
  double accumulate = 0;  ///< sending contributions
  double integrals = 0;   ///< computing integrals and contributions
  double waiting = 0;     ///< for other ranks, after its last task
};

/// Adds the time of its life to a counter.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rhf
