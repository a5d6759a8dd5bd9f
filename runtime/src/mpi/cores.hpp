// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

namespace tessera::detail {

/// The cores that a process may run on.
struct Cores {
  std::uint64_t id = 0;  // the same for processes with the same cores of the same machine
  int count = 1;

  /// The cores of the calling thread. @local
  static Cores mine();
};

/// The numbers of the processors that the calling thread may run on; empty if the system does not say. @local
std::vector<int> core_numbers();

/// Whether more processes of `all` have this process's cores than can run at once. @collective over all
bool is_crowded(MPI_Comm all);

/// Lets the calling thread run when it is woken, although others compute on its core. It asks for short time
/// slices and, if the system permits it (`ulimit -e 25`), for nice -5. Kernels before Linux 6.12 have no such
/// time slices; there, a thread that slept runs before one that computed.
/// @local
void take_short_turns() noexcept;

}  // namespace tessera::detail
