// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::io::detail {

/// Called, unless null, on a rank that has passed a step of a checkpoint; tests can kill the program or fail
/// there. Every rank passes the steps created, written and flushed. Rank 0 also passes summed before flushed,
/// and sealed, renamed, listed and pruned after it, in this order.
extern void (*commit_step_hook)(const char* step);

}  // namespace tessera::io::detail
