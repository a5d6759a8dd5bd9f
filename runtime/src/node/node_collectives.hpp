// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class NodeBarrier;

// Collective calls of the processes of a node, in the memory of their NodeBarrier; by MPI while that is not
// open. All are @collective over the node.

/// The members that get the result of a reduction; the data of the others is then unspecified.
enum class ResultFor { all, first };

/// Folds each element in the order of the ranks, whatever the number of elements. Returns when all have called
/// it. If the result is for the first only, it may return earlier on the others.
void reduce_on_node(NodeBarrier& node, void* data, index_t count, ElementKind kind, Reduce operation,
                    ResultFor whom = ResultFor::all);
void broadcast_on_node(NodeBarrier& node, void* data, index_t bytes, int root);
void gather_on_node(NodeBarrier& node, const void* value, void* all, index_t bytes);

}  // namespace tessera::detail
