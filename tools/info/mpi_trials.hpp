// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "self_test.hpp"

// The only file here that calls MPI is mpi_trials.cpp.
namespace tessera::info {

/// Checks MPI itself: messages between neighbouring ranks, and one collective call. @collective
void mpi_trials(std::vector<Trial>& trials, const Group& world, TimeLimit& limit);

}  // namespace tessera::info
