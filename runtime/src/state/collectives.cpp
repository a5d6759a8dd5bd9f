// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <tessera/runtime/detail/kept_memory.hpp>

#include "kernels/reduce_kernels.hpp"
#include "node/node_collectives.hpp"
#include "state/group_state.hpp"

// MPI only moves bytes, so that all members get the same bits.
namespace tessera::detail {
namespace {

// Bytes that nodes of several members copy while more travel.
constexpr index_t piece_bytes = index_t{1} << 20;
// Bytes reduced between nodes at a time; a node's first member needs memory for them.
constexpr index_t most_exchanged = index_t{2} << 20;
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

// The nodes' values on one of them, or on all.
void gather_between(MPI_Comm nodes, const void* value, void* all, index_t bytes, int to) {
  to == all_members ? mpi::all_gather(nodes, value, all, bytes) : mpi::gather(nodes, value, all, bytes, to);
}

// Of two nodes, each that gets the result gets the other's data.
void reduce_between_two(MPI_Comm nodes, std::byte* data, index_t bytes, ElementKind kind, Fold fold, int to) {
  const int me = mpi::rank(nodes), other = 1 - me;
  const bool takes = to == all_members || to == me, gives = to == all_members || to == other;
  KeptVector<std::byte> theirs(takes ? length(bytes) : 0);
  mpi::exchange(nodes, other, {data, gives ? length(bytes) : 0}, theirs);
  if (!takes) return;
  const index_t count = bytes / size_of(kind);
  if (me == 0) return fold(data, theirs.data(), count);
  fold(theirs.data(), data, count);
  std::memcpy(data, theirs.data(), length(bytes));
}

// Each member that gets the result gathers the data of all.
void reduce_gathered(MPI_Comm comm, std::byte* data, index_t bytes, ElementKind kind, Fold fold, int to) {
  const index_t count = mpi::size(comm);
  KeptVector<std::byte> all(length(count * bytes));
  gather_between(comm, data, all.data(), bytes, to);
  if (to != all_members && to != mpi::rank(comm)) return;
  fold_blocks(all.data(), count, bytes, kind, fold);
  std::memcpy(data, all.data(), length(bytes));
}

// Node `to`, or all, gets the result.
void reduce_between(MPI_Comm nodes, std::byte* data, index_t bytes, ElementKind kind, Fold fold, int to) {
  const index_t count = mpi::size(nodes);
  if (count == 2) return reduce_between_two(nodes, data, bytes, kind, fold, to);
  if (count * bytes <= max_gathered) return reduce_gathered(nodes, data, bytes, kind, fold, to);
  const bool has_result = to == all_members || to == mpi::rank(nodes);
  // In parts of equal size: mostly they are the data itself, else a padded copy.
  const index_t part = round_up((bytes + count - 1) / count, size_of(kind));
  const bool is_padded = part * count != bytes;
  KeptVector<std::byte> theirs(length(part * count)), padded(is_padded ? theirs.size() : 0);
  std::byte* const parts = is_padded ? padded.data() : data;
  if (is_padded) {
    std::memcpy(parts, data, length(bytes));
    std::fill(padded.begin() + bytes, padded.end(), std::byte{0});
  }
  mpi::all_to_all(nodes, parts, theirs.data(), part);
  fold_blocks(theirs.data(), count, part, kind, fold);
  gather_between(nodes, theirs.data(), parts, part, to);
  if (has_result && is_padded) std::memcpy(data, parts, length(bytes));
}

// Bytes exchanged between nodes at a time, in parts of equal size. A node's first member needs memory for them.
index_t piece_of(const GroupState& group) noexcept {
  const index_t unit = 16 * group.node_count();  // of all kinds
  return std::max(most_exchanged / unit, index_t{1}) * unit;
}

}  // namespace

void all_reduce_few(MPI_Comm comm, std::int64_t* values, index_t count, Reduce operation) {
  const index_t bytes = count * size_of(ElementKind::int64);
  if (mpi::size(comm) * bytes > max_gathered)
    return mpi::all_reduce(comm, values, count, ElementKind::int64, operation);
  // By a collective call of MPI: the program may have a receive on this communicator, which a message could
  // meet.
  reduce_gathered(comm, reinterpret_cast<std::byte*>(values), bytes, ElementKind::int64,
                  fold(ElementKind::int64, operation), all_members);
}

namespace {

// A magnitude or truth value differs from its element even if there is nothing to fold.
void reduce_alone(void* data, index_t count, ElementKind kind, Reduce operation) {
  const bool is_kept = operation != Reduce::absmax && operation != Reduce::absmin &&
                       operation != Reduce::logical_and && operation != Reduce::logical_or;
  if (count == 0 || is_kept) return;
  const auto* bytes = static_cast<const std::byte*>(data);
  const std::vector<std::byte> same(bytes, bytes + count * size_of(kind));
  fold(kind, operation)(data, same.data(), count);
}

void reduce_to(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation, int root) {
  if (group.size() == 1) return reduce_alone(data, count, kind, operation);
  NodeBarrier& here = group.node_barrier();
  const int to = root == all_members ? all_members : group.slot(root);
  if (group.node_count() == 1) return reduce_on_node(here, data, count, kind, operation, to);
  MPI_Comm nodes = group.between_nodes();
  const bool has_result = root == all_members || root == group.rank();
  const int node = root == all_members ? all_members : group.node_of(root);
  KeptVector<std::byte> copy;  // of a leader that keeps its data
  in_pieces(count * size_of(kind), piece_of(group), [&](index_t done, index_t bytes) {
    std::byte* piece = static_cast<std::byte*>(data) + done;
    if (group.leads_node() && !has_result) {
      copy.assign(piece, piece + bytes);
      piece = copy.data();
    }
    reduce_on_node(here, piece, bytes / size_of(kind), kind, operation, 0);
    if (group.leads_node()) reduce_between(nodes, piece, bytes, kind, fold(kind, operation), node);
    if (root == all_members || group.on_node(root)) broadcast_on_node(here, piece, bytes, 0, to);
  });
}

}  // namespace

void all_reduce(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation) {
  // The barrier is not open while the group is being made.
  if (group.node_count() > 1 && !group.node_barrier().is_open())
    return mpi::all_reduce(group.comm(), data, count, kind, operation);
  group.clocks().everybody();
  reduce_to(group, data, count, kind, operation, all_members);
}

void reduce(GroupState& group, void* data, index_t count, ElementKind kind, Reduce operation, int root) {
  group.clocks().to(root);
  reduce_to(group, data, count, kind, operation, root);
}

namespace {

void broadcast_between(MPI_Comm nodes, std::byte* data, index_t bytes, int root) {
  if (mpi::size(nodes) != 2) return mpi::broadcast(nodes, data, bytes, root);
  const bool gives = mpi::rank(nodes) == root;
  mpi::exchange(nodes, 1 - mpi::rank(nodes), {data, gives ? length(bytes) : 0},
                {data, gives ? 0 : length(bytes)});
}

}  // namespace

void broadcast(GroupState& group, void* data, index_t bytes, int root) {
  group.clocks().from(root);
  NodeBarrier& here = group.node_barrier();
  if (group.node_count() == 1) return broadcast_on_node(here, data, bytes, root);
  if (!here.is_open()) return mpi::broadcast(group.comm(), data, bytes, root);
  MPI_Comm nodes = group.between_nodes();
  // In pieces, nodes copy one while the next one travels. A node of one member copies nothing.
  const index_t most = group.size() == group.node_count() ? bytes : piece_bytes;
  in_pieces(bytes, most, [&](index_t done, index_t part) {
    std::byte* piece = static_cast<std::byte*>(data) + done;
    if (group.on_node(root)) broadcast_on_node(here, piece, part, group.slot(root));
    if (group.leads_node()) broadcast_between(nodes, piece, part, group.node_of(root));
    if (!group.on_node(root)) broadcast_on_node(here, piece, part, 0);
  });
}

namespace {

// The members' portions in the order of the nodes: each node has one row of bytes.
struct NodeRows {
  std::vector<index_t> places;   // of each member's portion in the row of its node
  std::vector<index_t> lengths;  // of the rows

  NodeRows(const GroupState& group, const Portions& portions) : lengths(length(group.node_count())) {
    for (int r = 0; r < group.size(); ++r) {
      index_t& row = lengths[length(group.node_of(r))];
      places.push_back(row);
      row += portions.length(r);
    }
  }
  /// Where each row begins if they follow each other, and where the last one ends.
  std::vector<index_t> begins() const {
    std::vector<index_t> begins(lengths.size() + 1, 0);
    std::inclusive_scan(lengths.begin(), lengths.end(), begins.begin() + 1, std::plus<>(), index_t{0});
    return begins;
  }
};

// Whether the portions in the order of the members are the rows one after the other, as with most placements.
bool are_in_order(const GroupState& group, const Portions& portions, const NodeRows& rows) {
  const std::vector<index_t> begins = rows.begins();
  for (int r = 0; r < group.size(); ++r) {
    if (portions.begin(r) != begins[length(group.node_of(r))] + rows.places[length(r)]) return false;
  }
  return begins.back() <= std::numeric_limits<int>::max();  // MPI_Allgatherv has ints
}

// Without a copy between nodes.
void all_gather_in_order(GroupState& group, const void* mine, std::byte* all, const NodeRows& rows) {
  NodeBarrier& here = group.node_barrier();
  MPI_Comm nodes = group.between_nodes();
  const std::vector<index_t> begins = rows.begins();
  const index_t begin = begins[length(group.node())], end = begins[length(group.node()) + 1];
  std::vector<index_t> bounds;
  for (int r = 0; r < group.size(); ++r) {
    if (group.on_node(r)) bounds.push_back(rows.places[length(r)]);
  }
  bounds.push_back(end - begin);
  gather_on_node(here, mine, all + begin, Portions(bounds));
  const std::span<std::byte> before(all, length(begin)), row(all + begin, length(end - begin)),
      after(all + end, length(begins.back() - end));
  if (group.leads_node()) {
    if (group.node_count() == 2) {
      mpi::exchange(nodes, 1 - group.node(), row, before.empty() ? after : before);
    } else {
      const std::vector<int> parts(rows.lengths.begin(), rows.lengths.end());
      mpi::all_gather(nodes, row.data(), all, parts);
    }
  }
  for (const std::span<std::byte> others : {before, after})
    broadcast_on_node(here, others.data(), static_cast<index_t>(others.size()), 0);
}

}  // namespace

void all_gather(GroupState& group, const void* value, void* all, const Portions& portions) {
  group.clocks().everybody();
  NodeBarrier& here = group.node_barrier();
  if (group.node_count() == 1) return gather_on_node(here, value, all, portions);
  MPI_Comm nodes = group.between_nodes();
  const NodeRows rows(group, portions);
  if (are_in_order(group, portions, rows))
    return all_gather_in_order(group, value, static_cast<std::byte*>(all), rows);
  const auto* mine = static_cast<const std::byte*>(value);
  const index_t most = piece_bytes / group.node_count() + 1;
  in_pieces(*std::max_element(rows.lengths.begin(), rows.lengths.end()), most, [&](index_t done, index_t) {
    // The part of each row that is exchanged now, and of each portion its place in that part.
    std::vector<int> parts;
    for (const index_t row : rows.lengths)
      parts.push_back(static_cast<int>(std::clamp<index_t>(row - done, 0, most)));
    std::vector<index_t> begins(parts.size() + 1, 0), here_at;
    std::inclusive_scan(parts.begin(), parts.end(), begins.begin() + 1, std::plus<>(), index_t{0});
    const auto in_part = [&](int r, index_t place) {
      return std::clamp<index_t>(place - done, 0, parts[length(group.node_of(r))]);
    };
    for (int r = 0; r < group.size(); ++r) {
      if (group.on_node(r)) here_at.push_back(in_part(r, rows.places[length(r)]));
    }
    const int own_part = parts[length(group.node())];
    here_at.push_back(own_part);
    KeptVector<std::byte> given(length(own_part)), gathered(length(begins.back()));
    const index_t begin = rows.places[length(group.rank())], own = portions.length(group.rank());
    gather_on_node(here, mine + std::clamp<index_t>(done - begin, 0, own), given.data(), Portions(here_at));
    if (group.leads_node()) mpi::all_gather(nodes, given.data(), gathered.data(), parts);
    broadcast_on_node(here, gathered.data(), begins.back(), 0);
    for (int r = 0; r < group.size(); ++r) {
      const index_t place = rows.places[length(r)];
      const index_t lo = in_part(r, place), hi = in_part(r, place + portions.length(r));
      if (lo == hi) continue;
      std::memcpy(static_cast<std::byte*>(all) + portions.begin(r) + done + lo - place,
                  gathered.data() + begins[length(group.node_of(r))] + lo, length(hi - lo));
    }
  });
}

}  // namespace tessera::detail
