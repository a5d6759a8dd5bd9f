// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

namespace solvers {

/// The seconds that this rank spent.
struct Times {
  double computing = 0, ghost_cells = 0;
};

/// Adds the time since it was made, or since the last call, to a sum.
class Watch {
 public:
  void add_to(double& sum) {
    const auto now = Clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace solvers
