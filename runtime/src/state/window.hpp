// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <string>

#include <tessera/runtime/types.hpp>

#include "mpi/mpi.hpp"

namespace tessera::detail {

class GroupState;

/// Makes the window of a region and tests it: the memory model, and data put to and got from this process
/// itself and one on another node. An empty window with `problem` set, the same on every member, if MPI has
/// none that works. @collective
mpi::Win create_tested_window(GroupState& group, std::byte* slice, index_t bytes, std::string& problem);

}  // namespace tessera::detail
