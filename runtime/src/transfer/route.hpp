// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "base/verb.hpp"
#include "state/path_choice.hpp"
#include "state/segment_state.hpp"

namespace tessera::detail {

/// Whether an operation is done by loads and stores. `place` is in this process's address space, or null. In
/// the MPI domain, MPI does every read-modify-write, also the owner's. @local
inline bool is_direct(const SegmentState& segment, const std::byte* place, Verb verb) noexcept {
  const bool changes = verb != Verb::put && verb != Verb::get && verb != Verb::load;
  return place != nullptr && (!changes || segment.domain() == AtomicDomain::cpu);
}

/// The path of an operation: loads and stores, MPI's window, or the target's agent. Transfers, atomics,
/// scalars, lists and batches all ask here; docs/runtime/transfers.md has the same as a table. `run` is the
/// length of the contiguous runs, `rank` a member. Lists, batches and shapes of several runs are Amount::many.
/// @local
Path route(const SegmentState& segment, int rank, Verb verb, index_t run, Amount amount = Amount::one) noexcept;

}  // namespace tessera::detail
