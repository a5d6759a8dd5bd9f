// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>

#include "input.hpp"
#include "memory.hpp"
#include "scf.hpp"
#include "solver.hpp"

namespace ccsd {

/// The command line.
struct Options {
  rhf::InputOptions input;
  std::string checkpoint, restart, disk;
  int every = 5;  // iterations from one checkpoint to the next
  bool frozen_core = false;
  Method method = Method::ccsd_t;
  rhf::ScfOptions scf{.convergence = 1e-11, .screening = 1e-12, .limit_option = "--scf-iterations"};
  SolverOptions solver;
};

/// Reads the command line. If the program should end, the result is its status. Only one rank speaks.
std::optional<int> read_options(int argc, char** argv, bool speaks, Options& options);

}  // namespace ccsd
