// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>

#include "kernels/elements.hpp"
#include "kernels/overlap.hpp"
#include "kernels/striped_accumulate.hpp"
#include "transfer/paths/paths.hpp"

namespace tessera::detail {
namespace {

template <std::size_t bytes>
void copy_fixed(const Run* run, const Run* end, Verb verb) noexcept {
  if (verb == Verb::put) {
    for (; run != end; ++run) std::memcpy(run->place, run->local, bytes);
  } else {
    for (; run != end; ++run) std::memcpy(run->local, run->place, bytes);
  }
}

void copy_runs(const Run* run, const Run* end, index_t bytes, Verb verb) noexcept {
  switch (bytes) {
    case 4:
      return copy_fixed<4>(run, end, verb);
    case 8:
      return copy_fixed<8>(run, end, verb);
    case 16:
      return copy_fixed<16>(run, end, verb);
    case 32:
      return copy_fixed<32>(run, end, verb);
    case 64:
      return copy_fixed<64>(run, end, verb);
    default:
      const auto n = static_cast<std::size_t>(bytes);
      for (; run != end; ++run) {
        std::byte *to = verb == Verb::put ? run->place : run->local,
                  *from = verb == Verb::put ? run->local : run->place;
        std::memcpy(to, from, n);
      }
  }
}

}  // namespace

// If the sides overlap, all of the source is read first: a copy must not read what it has written itself.
void NodePath::put(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                   const std::byte* source, Pending*) {
  std::byte* there = segment.address(rank) + offset;
  if (shape.levels == 0 || !overlap(there, source, shape))
    return copy_strided(there, source, shape, Direction::local_to_remote);
  LocalCopy copy(shape);
  copy.read(source);
  copy_strided(there, copy.data(), packed(shape), Direction::local_to_remote);
}

void NodePath::get(SegmentState& segment, int rank, index_t offset, const Strided& shape, std::byte* target,
                   Pending*) {
  const std::byte* there = segment.address(rank) + offset;
  if (shape.levels == 0 || !overlap(there, target, shape))
    return copy_strided(target, there, shape, Direction::remote_to_local);
  const LocalCopy copy(shape);
  copy_strided(copy.data(), there, packed(shape), Direction::remote_to_local);
  copy.write(target);
}

void NodePath::accumulate(SegmentState& segment, int rank, index_t offset, const Strided& shape,
                          const Action& action, const std::byte* source, Pending*) {
  accumulate_on_node(segment.stripes(), segment.address(rank) + offset, shape, action, source);
}

void NodePath::update(SegmentState& segment, int rank, index_t offset, const Action& action, const void* value,
                      void* result) {
  std::byte* where = segment.address(rank) + offset;
  if (segment.use() == Use::scalars) return update_scalar(where, action.kind, action.update, value, result);
  update_element(segment.stripes(), where, action.kind, action.update, value, result);
}

bool NodePath::compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind,
                                void* expected, const void* desired) {
  std::byte* where = segment.address(rank) + offset;
  if (segment.use() == Use::scalars) return compare_exchange_scalar(where, kind, expected, desired);
  return compare_exchange_element(segment.stripes(), where, kind, expected, desired);
}

void NodePath::load(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* value) {
  load_scalar(segment.address(rank) + offset, kind, value);
}

// In the order of the list; the runs may be at any ranks of the node.
Request NodePath::list(SegmentState& segment, const RunList& list) {
  const auto runs = list.runs;
  const Verb verb = list.action.verb;
  if (verb != Verb::accumulate) {
    const Run *begin = runs.data(), *end = begin + runs.size();
    if (list.lengths.are_alike()) return copy_runs(begin, end, list.lengths.each, verb), Request();
    for (const Run* run = begin; run != end; ++run) copy_runs(run, run + 1, list.lengths.of(*run), verb);
    return {};
  }
  StripedAccumulate adder(segment.stripes(), list.action);
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // Prefetches, as taking the lock of a run elsewhere keeps the processor from looking ahead.
    if (i + ahead < runs.size()) __builtin_prefetch(runs[i + ahead].place, 1);
    adder.run(runs[i].place, runs[i].local, list.lengths.of(runs[i]));
  }
  return {};
}

}  // namespace tessera::detail
