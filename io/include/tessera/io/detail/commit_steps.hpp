// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::io::detail {

/// Called on a rank when it has passed a step of a checkpoint, unless null: for tests that kill, or fail,
/// there. The steps in their order: created, written, flushed on every rank; of rank 0 alone also summed,
/// before flushed, and sealed, renamed, listed, pruned after it.
extern void (*commit_step_hook)(const char* step);

}  // namespace tessera::io::detail
