// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

namespace tessera::detail {

class GroupState;
class Portions;

// Collective calls of a group. The members on a node combine their data in shared memory, and the first member
// of each node exchanges it with other nodes. All @collective.
void all_reduce(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation);
/// Only the root gets the result; the others keep their data.
void reduce(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation, int root);
void broadcast(GroupState& group, void* data, index_t bytes, int root);
void all_gather(GroupState& group, const void* value, void* all, const Portions& portions);

/// Reduces a few values of all members of a communicator. Members of small ones gather all values:
/// MPI_Iallreduce of Open MPI takes twice as long as MPI_Iallgather. @collective
void all_reduce_few(MPI_Comm comm, std::int64_t* values, index_t count, Reduce operation);

}  // namespace tessera::detail
