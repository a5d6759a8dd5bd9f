// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <string_view>

#include <tessera/runtime/group.hpp>

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

/// Prints the times of the slowest rank, and the rate of the updates of cells in millions. @collective
void report_speed(const tessera::Group& world, const Times& times, double seconds, double updates,
                  std::string_view unit);

}  // namespace solvers
