// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "time_limit.hpp"

namespace tessera::info {

/// One check of the self-test, with its outcome on all ranks.
struct Trial {
  std::string what;     // "put"
  std::string between;  // "each rank and the next"
  std::string by;       // the path: "shared memory", "agents", ...
  std::string problem;  // of the lowest rank that has one; empty if all is well
  int failed = 0;       // the number of ranks that have one
};

/// Whether a trial may use MPI's windows.
enum class Windows { unusable, usable };

/// Runs all checks: one-sided operations, and MPI's own messages and a collective call. All ranks get the same
/// result. @collective
std::vector<Trial> self_test(const Group& world, Windows windows, TimeLimit& limit);

/// Adds a trial whose outcome on this rank is `problem`. @collective
void add_trial(std::vector<Trial>& trials, const Group& world, Trial trial, const std::string& problem);

}  // namespace tessera::info
