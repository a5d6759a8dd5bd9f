// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/node_collectives.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/reduce_kernels.hpp"
#include "kernels/streaming.hpp"
#include "mpi/mpi.hpp"
#include "node/node_barrier.hpp"

namespace tessera::detail {
namespace {

// Up to this total, every process reads the data of all. For more, the processes share the work, at the price
// of one more synchronisation.
constexpr index_t max_read_by_all = index_t{16} << 10;
// How much of a chunk a process reduces at a time, in the nearest cache.
constexpr index_t block_bytes = index_t{8} << 10;

// Nothing may come from a null pointer.
void copy_bytes(std::byte* to, const std::byte* from, index_t bytes) noexcept {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

// Leaves data that others read next. From 4 KiB on they get it from memory sooner than from another core's
// cache. That is up to four times as fast where caches communicate slowly, and never slower
// (docs/performance.md).
void leave_bytes(std::byte* to, const std::byte* from, index_t bytes) noexcept {
  if (bytes < 4096) return copy_bytes(to, from, bytes);
  stream(to, from, static_cast<std::size_t>(bytes));
  end_stream();
}

// A reduction of `bytes`; an element may be of any size that divides 64.
class Reduction {
 public:
  Reduction(NodeBarrier& node, std::byte* data, index_t bytes, ElementKind kind, Reduce operation, int to)
      : node_(node),
        data_(data),
        bytes_(bytes),
        element_(size_of(kind)),
        fold_(fold(kind, operation)),
        has_result_(to == all_members || to == node.rank()) {}

  // Every process reads the data of all, in one step for each piece.
  void at_once(index_t most) {
    const int me = node_.rank();
    for (index_t done = 0; done < bytes_; done += most) {
      const index_t length = std::min(most, bytes_ - done);
      const std::uint32_t step = node_.next_step();
      std::byte* data = data_ + done;
      node_.await_room(step);
      leave_bytes(node_.place(me, step, length), data, length);
      node_.arrive(step);
      for (int r = 0; r < node_.size() && has_result_; ++r) {
        node_.await(r, step);
        const std::byte* theirs = node_.place(r, step, length);
        r == 0 ? copy_bytes(data, theirs, length) : fold_(data, theirs, length / element_);
      }
    }
  }

  // Every process reduces its part of each chunk and leaves the result for the others. Between two
  // synchronisations it works on three chunks, so that each chunk needs only one.
  void by_parts(index_t most) {
    index_t chunks = (bytes_ + most - 1) / most;
    length_ = round_up((bytes_ + chunks - 1) / chunks, 64);  // no more than most, a multiple of 64
    chunks = (bytes_ + length_ - 1) / length_;
    first_ = node_.next_step();
    for (index_t c = 0; c < chunks; ++c) node_.next_step();
    node_.await_room(first_);
    show(0);
    for (index_t c = 0; c <= chunks; ++c) {
      node_.arrive(step(c));
      node_.await_all(step(c));
      if (c < chunks) reduce(c);
      if (c + 1 < chunks) show(c + 1);
      if (c > 0 && has_result_) take(c - 1);
    }
  }

 private:
  struct ChunkPart {
    index_t begin, length;  // within the chunk
  };
  std::uint32_t step(index_t chunk) const noexcept { return first_ + static_cast<std::uint32_t>(chunk); }
  std::byte* place(int rank, index_t chunk) const noexcept {
    return node_.place(rank, step(chunk), NodeBarrier::stage_room);
  }
  std::byte* data(index_t chunk) const noexcept { return data_ + chunk * length_; }
  ChunkPart part(int rank, index_t chunk) const noexcept {
    const index_t all = std::min(length_, bytes_ - chunk * length_);
    const index_t each = round_up((all + node_.size() - 1) / node_.size(), 64);
    const index_t begin = std::min(all, rank * each);
    return {begin, std::min(each, all - begin)};
  }

  // Leaves the other processes' parts of a chunk for them.
  void show(index_t chunk) const {
    for (int r = 0; r < node_.size(); ++r) {
      const ChunkPart p = part(r, chunk);
      if (r != node_.rank()) leave_bytes(place(node_.rank(), chunk) + p.begin, data(chunk) + p.begin, p.length);
    }
  }
  // Reduces this process's own part. The result goes to the gap that show() leaves between the parts of the
  // others.
  void reduce(index_t chunk) const {
    const int me = node_.rank();
    const ChunkPart p = part(me, chunk);
    for (index_t done = 0; done < p.length; done += block_bytes) {
      const index_t at = p.begin + done, length = std::min(block_bytes, p.length - done);
      alignas(64) std::byte result[block_bytes];
      for (int r = 0; r < node_.size(); ++r) {
        const std::byte* theirs = (r == me ? data(chunk) : place(r, chunk)) + at;
        r == 0 ? copy_bytes(result, theirs, length) : fold_(result, theirs, length / element_);
      }
      leave_bytes(place(me, chunk) + at, result, length);
      if (has_result_) copy_bytes(data(chunk) + at, result, length);
    }
  }
  void take(index_t chunk) const {
    for (int r = 0; r < node_.size(); ++r) {
      const ChunkPart p = part(r, chunk);
      if (r != node_.rank()) copy_bytes(data(chunk) + p.begin, place(r, chunk) + p.begin, p.length);
    }
  }

  NodeBarrier& node_;
  std::byte* data_;
  index_t bytes_, element_;
  Fold fold_;
  bool has_result_;
  index_t length_ = 0;       // of a chunk
  std::uint32_t first_ = 0;  // step
};

// The most bytes in one step of data that every process has to read.
index_t max_in_step(NodeBarrier& node, index_t bytes) {
  return bytes <= NodeBarrier::page_room ? NodeBarrier::page_room : node.room();
}

}  // namespace

void reduce_on_node(NodeBarrier& node, void* data, index_t count, ElementKind kind, Reduce operation, int to) {
  const index_t bytes = count * size_of(kind);
  if (bytes == 0 || node.size() == 1) return;
  if (!node.is_open()) return mpi::all_reduce(node.comm(), data, count, kind, operation);
  Reduction reduction(node, static_cast<std::byte*>(data), bytes, kind, operation, to);
  const index_t most = max_in_step(node, bytes);
  most == NodeBarrier::page_room || bytes <= max_read_by_all / node.size() ? reduction.at_once(most)
                                                                           : reduction.by_parts(most);
}

void broadcast_on_node(NodeBarrier& node, void* data, index_t bytes, int root, int to) {
  if (bytes == 0 || node.size() == 1 || to == root) return;
  if (!node.is_open()) return mpi::broadcast(node.comm(), data, bytes, root);
  const bool gives = node.rank() == root, takes = !gives && (to == all_members || to == node.rank());
  const index_t most = max_in_step(node, bytes);
  for (index_t done = 0; done < bytes; done += most) {
    const index_t length = std::min(most, bytes - done);
    const std::uint32_t step = node.next_step();
    std::byte* mine = static_cast<std::byte*>(data) + done;
    std::byte* place = node.place(root, step, length);
    if (gives) {
      node.await_room(step);
      leave_bytes(place, mine, length);
    }
    node.arrive(step);
    if (!takes) continue;
    node.await(root, step);
    copy_bytes(mine, place, length);
  }
}

void gather_on_node(NodeBarrier& node, const void* value, void* all, const Portions& portions) {
  const index_t longest = portions.longest();
  if (longest == 0) return;
  const auto* mine = static_cast<const std::byte*>(value);
  auto* target = static_cast<std::byte*>(all);
  const int me = node.rank();
  copy_bytes(target + portions.begin(me), mine, portions.length(me));
  if (node.size() == 1) return;
  const index_t most = max_in_step(node, longest);
  for (index_t done = 0; done < longest; done += most) {
    const auto length = [&](int r) { return std::clamp<index_t>(portions.length(r) - done, 0, most); };
    const std::uint32_t step = node.next_step();
    node.await_room(step);
    if (length(me) > 0) leave_bytes(node.place(me, step, length(me)), mine + done, length(me));
    node.arrive(step);
    for (int r = 0; r < node.size(); ++r) {
      if (r == me) continue;
      node.await(r, step);
      if (length(r) == 0) continue;
      copy_bytes(target + portions.begin(r) + done, node.place(r, step, length(r)), length(r));
    }
  }
}

}  // namespace tessera::detail
