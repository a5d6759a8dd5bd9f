// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "base/verb.hpp"
#include "state/segment_state.hpp"

namespace tessera::detail {

/// Whether an operation on a place of this process's address space is done by loads and stores. In MPI's domain
/// of atomicity every read-modify-write is MPI's, the owner's too. @local
inline bool is_direct(const SegmentState& segment, const std::byte* place, Verb verb) noexcept {
  const bool changes = verb != Verb::put && verb != Verb::get && verb != Verb::load;
  return place != nullptr && (!changes || segment.domain() == AtomicDomain::cpu);
}

/// The path of an operation: loads and stores, MPI's window, or the target's agent. Transfers, atomics,
/// scalars, lists and batches all ask here; docs/runtime.md has the same as a table. `run` is the length of the
/// contiguous runs, and `rank` a member. @local
Path route(const SegmentState& segment, int rank, Verb verb, index_t run) noexcept;

}  // namespace tessera::detail
