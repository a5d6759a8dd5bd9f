// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mpi.h>

namespace tessera::detail::order {

namespace calls {

/// Whether the program's calls of MPI come to Tessera first, and not to a library before it in the link order.
/// @local
bool are_seen() noexcept;

}  // namespace calls

/// Starts the clocks of a world, and follows the program's calls of MPI on `parent`, or on none. Returns
/// whether it has: a process has one clock, which belongs to its first Runtime. @collective over world
bool start(MPI_Comm parent, MPI_Comm world);
/// Ends what start() has begun. @local
void stop(MPI_Comm parent) noexcept;

}  // namespace tessera::detail::order
