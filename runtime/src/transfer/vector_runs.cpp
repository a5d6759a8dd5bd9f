// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/vector_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <vector>

#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "transfer/transfer.hpp"

namespace tessera::detail {

namespace {

// `length_of` gives the bytes of a run by its number.
template <class LengthOf>
RunFacts add_runs(const Vector& vector, Verb verb, Run* const first, LengthOf length_of) {
  const Segment* last = nullptr;
  SegmentState* segment = nullptr;
  bool by_stores = true, one_segment = true, here = true, one_rank = true, apart = true;
  Run* next = first;
  for (std::size_t i = 0; i < vector.remote.size(); ++i) {
    const Place& place = vector.remote[i];
    const index_t length = length_of(i);
    if (length < 0) throw UsageError(formatted("a vector transfer has a run of {} bytes", length));
    if (length == 0) continue;
    if (place.segment == nullptr)
      throw UsageError(formatted("place {} of a vector transfer has no segment", i));
    if (place.segment != last || segment == nullptr) {
      last = place.segment;
      segment = &SegmentState::of(*last);
      segment->require(Use::data);
      by_stores &= is_direct(*segment, segment->base, verb);
      one_segment &= next == first || segment == first->segment;
    }
    std::byte* where = segment->reach(place.rank, place.offset, length);
    if (where == nullptr) {
      check_place(*segment, place.rank, place.offset, length);
      if ((where = segment->address(place.rank)) != nullptr) where += place.offset;
    }
    std::byte* const local = vector.local[i];
    *next = {segment, place.rank, static_cast<std::uint32_t>(i), place.offset, where, local};
    here &= where != nullptr;
    apart &= std::abs(where - local) >= length;
    one_rank &= place.rank == first->rank;
    ++next;
  }
  here &= by_stores;
  return {.runs = {first, next},
          .are_together = here && one_segment,
          .have_one_rank = one_rank,
          .are_apart = here && apart};
}

// Most lists are in order already, on their local side at least.
template <class List, class Before>
void sort_unless_sorted(List& list, const Before& before) {
  if (!std::is_sorted(list.begin(), list.end(), before)) std::sort(list.begin(), list.end(), before);
}

}  // namespace

RunFacts resolve(const Vector& vector, Verb verb, RunBuffer& buffer) {
  if (vector.remote.size() != vector.local.size()) {
    throw UsageError(formatted("a vector transfer has {} places in segments and {} in local memory",
                               vector.remote.size(), vector.local.size()));
  }
  if (!vector.lengths.empty() && vector.lengths.size() != vector.remote.size()) {
    throw UsageError(
        formatted("a vector transfer has {} runs and {} lengths", vector.remote.size(), vector.lengths.size()));
  }
  if (vector.lengths.size() > std::numeric_limits<std::uint32_t>::max())
    throw UsageError(formatted("a vector transfer has {} lengths (at most 2^32 - 1)", vector.lengths.size()));
  Run* const first = buffer.reserve(vector.remote.size());
  if (vector.lengths.empty()) {
    RunFacts list = add_runs(vector, verb, first, [length = vector.run](std::size_t) { return length; });
    list.lengths = {vector.run};
    return list;
  }
  RunFacts list = add_runs(vector, verb, first, [&](std::size_t i) { return vector.lengths[i]; });
  list.lengths = {vector.run, vector.lengths};
  if (!list.runs.empty())
    list.lengths.each = list.lengths.sum(list.runs) / static_cast<index_t>(list.runs.size());
  return list;
}

void require_whole_elements(std::span<const Run> runs, const RunLengths& lengths, ElementKind kind) {
  const index_t size = size_of(kind);
  for (const Run& run : runs) {
    if (lengths.of(run) % size == 0 && run.offset % size == 0) continue;
    throw UsageError(
        formatted("accumulate of {} with runs of {} bytes at offset {} of segment \"{}\": both must be "
                  "multiples of {}",
                  to_string(kind), lengths.of(run), run.offset, run.segment->name(), size));
  }
}

bool agents_keep_order(std::span<const Run> runs, const RunLengths& lengths, Verb verb) noexcept {
  return verb != Verb::get && std::all_of(runs.begin(), runs.end(), [&](const Run& r) {
           return r.place == nullptr && r.segment == runs.front().segment &&
                  route(*r.segment, r.rank, verb, lengths.each, Amount::many) == Path::agent;
         });
}

bool overlaps(std::span<const Run> runs, const RunLengths& lengths, Verb verb) {
  struct Piece {
    std::uintptr_t begin, end;
    bool written;
  };
  KeptVector<Piece> here;  // in this process's address space
  here.reserve(2 * runs.size());
  KeptVector<const Run*> elsewhere;
  for (const Run& r : runs) {
    const auto add = [&, length = static_cast<std::uintptr_t>(lengths.of(r))](const std::byte* at,
                                                                              bool written) {
      const auto begin = reinterpret_cast<std::uintptr_t>(at);
      here.push_back({begin, begin + length, written});
    };
    add(r.local, verb == Verb::get);
    if (r.place != nullptr) {
      add(r.place, verb != Verb::get);
    } else if (verb == Verb::put) {
      elsewhere.push_back(&r);
    }
  }
  sort_unless_sorted(here, [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  // A piece overlaps an earlier one if it begins before the furthest end so far.
  std::uintptr_t read_to = 0, written_to = 0;
  for (const Piece& piece : here) {
    // Accumulates to one place may come in any order.
    const bool after_write = piece.begin < written_to && !(piece.written && verb == Verb::accumulate);
    if (after_write || (piece.written && piece.begin < read_to)) return true;
    std::uintptr_t& furthest = piece.written ? written_to : read_to;
    furthest = std::max(furthest, piece.end);
  }
  // By the memory, as segments have bytes in common with their parts.
  const auto place = [](const Run& r) {
    return std::tuple(r.segment->whole().number, r.rank, r.segment->offset() + r.offset);
  };
  sort_unless_sorted(elsewhere, [&](const Run* a, const Run* b) { return place(*a) < place(*b); });
  // It is enough to compare neighbours: if none overlap, each run ends before all later ones.
  return std::adjacent_find(elsewhere.begin(), elsewhere.end(), [&](const Run* a, const Run* b) {
           const auto [segment, rank, begin] = place(*a);
           return place(*b) < std::tuple(segment, rank, begin + lengths.of(*a));
         }) != elsewhere.end();
}

}  // namespace tessera::detail
