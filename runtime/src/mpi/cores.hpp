// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include <mpi.h>

namespace tessera::detail {

/// The cores that a process may run on.
struct Cores {
  std::uint64_t id = 0;  // the same for processes with the same cores of the same machine
  int count = 1;

  /// Those of this thread. @local
  static Cores mine();
};

/// Whether the processes of `all` that share this machine cannot all run at once. @collective over all
bool is_crowded(MPI_Comm all);

/// Lets the calling thread run when it is woken, although others compute on its core: its turns are short, and
/// where the system permits it (`ulimit -e 25`) it is asked for before others, at nice -5. Turns have no
/// lengths on kernels before Linux 6.12, where a thread that slept comes before one that computed.
/// @local
void take_short_turns() noexcept;

}  // namespace tessera::detail
