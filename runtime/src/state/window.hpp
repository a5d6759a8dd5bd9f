// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <string>

#include <tessera/runtime/types.hpp>

#include "mpi/mpi.hpp"

namespace tessera::detail {

class GroupState;

/// Makes the window of a region and tests it: its memory model, and puts and gets with this process itself and
/// with one on another node. If MPI has no window that works, returns an empty one and sets `problem`, the same
/// on every member. @collective
mpi::Win create_tested_window(GroupState& group, std::byte* slice, index_t bytes, std::string& problem);

}  // namespace tessera::detail
