// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

// What the variables TESSERA_... and those of launchers say when a Runtime starts. A value that cannot be
// understood is a UsageError that names it and what it may be; all are @local but the first.
namespace tessera::detail {

/// Gives all processes the variables that all must agree about as rank 0 has them, in their environment: a
/// launcher need not hand them to all hosts. @collective
void share_environment(MPI_Comm comm);

/// TESSERA_NODE_SIZE: the greatest number of ranks that count as one node; 0 for as many as there are.
int node_size_limit();

/// What the options say, or else TESSERA_MEMORY_LIMIT, or else no limit. Unit: bytes.
index_t memory_limit(const RuntimeOptions& options);

/// TESSERA_METHOD: how strided transfers with other nodes travel.
TransferMethod transfer_method();

/// TESSERA_PROGRESS=rank or rank:2: how many ranks of each node are to do nothing but serve; 0 in other modes.
int progress_ranks();

/// Whether TESSERA_PROGRESS leaves the agents a thread of their own.
bool may_have_thread();

/// TESSERA_PROGRESS, or without it the best that MPI's thread level, the least of all processes, allows.
ProgressMode progress_mode(ThreadLevel threads);

/// Before MPI is started, from the launcher's variables: false only if all ranks are on this host.
bool may_span_nodes();

}  // namespace tessera::detail
