// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The tests and tessera-run preload this library into MPI programs.
#include <sched.h>

#include "base/give_way.hpp"

// MPI yields where it waits. On a loaded machine the core comes back late each time (docs/decisions.md).
extern "C" [[gnu::visibility("default")]] int sched_yield() noexcept {
  tessera::detail::give_way();
  return 0;
}
