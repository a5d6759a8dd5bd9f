// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/reduce_kernels.hpp"
#include "node/node_collectives.hpp"
#include "state/group_state.hpp"

// MPI only moves bytes, so that all members get the same bits.
namespace tessera::detail {
namespace {

// Bytes exchanged between nodes at a time; a node's first member needs memory for them.
constexpr index_t piece_bytes = index_t{1} << 20;
// Up to this total every node gets the data of all nodes; of more, each node reduces a part.
constexpr index_t max_gathered = index_t{32} << 10;

std::size_t length(index_t bytes) noexcept { return static_cast<std::size_t>(bytes); }

// Calls what(offset, length) for every piece.
template <class What>
void in_pieces(index_t bytes, index_t most, What&& what) {
  for (index_t done = 0; done < bytes; done += most) what(done, std::min(most, bytes - done));
}

// Folds consecutive blocks of equal size into the first one, in order.
void fold_blocks(std::byte* blocks, index_t count, index_t bytes, ElementKind kind, Fold fold) {
  for (index_t b = 1; b < count; ++b) fold(blocks, blocks + b * bytes, bytes / size_of(kind));
}

void reduce_between(MPI_Comm nodes, std::byte* data, index_t bytes, ElementKind kind, Fold fold) {
  const index_t count = mpi::size(nodes);
  if (count * bytes <= max_gathered) {
    std::vector<std::byte> all(length(count * bytes));
    mpi::all_gather(nodes, data, all.data(), bytes);
    fold_blocks(all.data(), count, bytes, kind, fold);
    std::memcpy(data, all.data(), length(bytes));
    return;
  }
  // Padded to parts of equal size.
  const index_t part = round_up((bytes + count - 1) / count, size_of(kind));
  std::vector<std::byte> mine(length(part * count)), theirs(mine.size());
  std::memcpy(mine.data(), data, length(bytes));
  mpi::all_to_all(nodes, mine.data(), theirs.data(), part);
  fold_blocks(theirs.data(), count, part, kind, fold);
  mpi::all_gather(nodes, theirs.data(), mine.data(), part);
  std::memcpy(data, mine.data(), length(bytes));
}

}  // namespace

void all_reduce(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation) {
  NodeBarrier& here = group.node_barrier();
  if (group.node_count() == 1) return reduce_on_node(here, data, count, kind, operation);
  // The barrier is not open while the group is being made.
  if (!here.is_open()) return mpi::all_reduce(group.comm(), data, count, kind, operation);
  MPI_Comm nodes = group.between_nodes();
  in_pieces(count * size_of(kind), piece_bytes, [&](index_t done, index_t bytes) {
    std::byte* piece = static_cast<std::byte*>(data) + done;
    reduce_on_node(here, piece, bytes / size_of(kind), kind, operation, ResultFor::first);
    if (group.leads_node()) reduce_between(nodes, piece, bytes, kind, fold(kind, operation));
    broadcast_on_node(here, piece, bytes, 0);
  });
}

void broadcast(GroupState& group, void* data, index_t bytes, int root) {
  NodeBarrier& here = group.node_barrier();
  if (group.node_count() == 1) return broadcast_on_node(here, data, bytes, root);
  if (!here.is_open()) return mpi::broadcast(group.comm(), data, bytes, root);
  MPI_Comm nodes = group.between_nodes();
  in_pieces(bytes, piece_bytes, [&](index_t done, index_t part) {
    std::byte* piece = static_cast<std::byte*>(data) + done;
    if (group.on_node(root)) broadcast_on_node(here, piece, part, group.slot(root));
    if (group.leads_node()) mpi::broadcast(nodes, piece, part, group.node_of(root));
    if (!group.on_node(root)) broadcast_on_node(here, piece, part, 0);
  });
}

void all_gather(GroupState& group, const void* value, void* all, index_t bytes) {
  NodeBarrier& here = group.node_barrier();
  if (group.node_count() == 1) return gather_on_node(here, value, all, bytes);
  if (!here.is_open()) return mpi::all_gather(group.comm(), value, all, bytes);
  MPI_Comm nodes = group.between_nodes();
  // Every node sends as much as the one with the most members.
  const index_t members = group.max_on_a_node();
  const index_t most = std::max<index_t>(64, piece_bytes / (members * group.node_count()));
  in_pieces(bytes, most, [&](index_t done, index_t part) {
    std::vector<std::byte> mine(length(members * part)), gathered(length(group.node_count() * members * part));
    gather_on_node(here, static_cast<const std::byte*>(value) + done, mine.data(), part);
    if (group.leads_node()) mpi::all_gather(nodes, mine.data(), gathered.data(), members * part);
    broadcast_on_node(here, gathered.data(), static_cast<index_t>(gathered.size()), 0);
    for (int r = 0; r < group.size(); ++r) {
      const index_t place = group.node_of(r) * members + group.slot(r);
      std::memcpy(static_cast<std::byte*>(all) + r * bytes + done, gathered.data() + place * part,
                  length(part));
    }
  });
}

}  // namespace tessera::detail
