// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/threads.hpp"

#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "mpi/mpi_process.hpp"

namespace tessera::detail {

void Threads::require_turns() const {
  if (may_take_turns()) return;
  throw UsageError(
      formatted("a one-sided operation between nodes by another thread than the one that started the "
                "Runtime, but MPI's thread "
                "level is {}; start with RuntimeOptions{{.threads = ThreadLevel::serialized}}",
                to_string(level_)));
}

NetworkLock::NetworkLock(const Threads& threads) : lock_((threads.require_turns(), mpi::mutex())) {}

}  // namespace tessera::detail
