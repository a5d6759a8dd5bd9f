// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/vector_runs.hpp"

#include <algorithm>
#include <cstdlib>

#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "transfer/transfer.hpp"

namespace tessera::detail {

std::vector<Run> resolve(const Vector& vector) {
  if (vector.remote.size() != vector.local.size()) {
    throw UsageError(formatted("a vector transfer has {} places in segments and {} in local memory",
                               vector.remote.size(), vector.local.size()));
  }
  if (vector.run < 0) throw UsageError(formatted("a vector transfer has runs of {} bytes", vector.run));
  std::vector<Run> runs;
  if (vector.run == 0) return runs;
  runs.reserve(vector.remote.size());
  const Segment* last = nullptr;
  SegmentState* segment = nullptr;
  for (std::size_t i = 0; i < vector.remote.size(); ++i) {
    const Place& place = vector.remote[i];
    if (place.segment != last || segment == nullptr) {
      last = place.segment;
      segment = &SegmentState::of(*last);
      segment->require(Use::data);
    }
    std::byte* where = segment->reach(place.rank, place.offset, vector.run);
    if (where == nullptr) {
      check_place(*segment, place.rank, place.offset, vector.run);
      if ((where = segment->address(place.rank)) != nullptr) where += place.offset;
    }
    runs.push_back({segment, place.rank, place.offset, where, vector.local[i]});
  }
  return runs;
}

void require_whole_elements(const Vector& vector, const std::vector<Run>& runs, ElementKind kind) {
  const index_t size = size_of(kind);
  for (const Run& run : runs) {
    if (vector.run % size == 0 && run.offset % size == 0) continue;
    throw UsageError(
        formatted("accumulate of {} with runs of {} bytes at offset {} of segment \"{}\": both must be "
                  "multiples of {}",
                  to_string(kind), vector.run, run.offset, run.segment->name(), size));
  }
}

bool order_is_kept(const std::vector<Run>& runs, index_t run, Verb verb) noexcept {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const Run& r) { return on_node(r, verb) && std::abs(r.place - r.local) >= run; });
}

bool agents_keep_order(const std::vector<Run>& runs, index_t run, Verb verb) noexcept {
  return verb != Verb::get && std::all_of(runs.begin(), runs.end(), [&](const Run& r) {
           return r.place == nullptr && route(*r.segment, r.rank, verb, run, Amount::many) == Path::agent;
         });
}

bool overlaps(const std::vector<Run>& runs, index_t run, Verb verb) {
  struct Piece {
    std::uintptr_t begin;
    bool written;
  };
  std::vector<Piece> here;  // in this process's address space
  here.reserve(2 * runs.size());
  std::vector<const Run*> elsewhere;
  for (const Run& r : runs) {
    here.push_back({reinterpret_cast<std::uintptr_t>(r.local), verb == Verb::get});
    if (r.place != nullptr) {
      here.push_back({reinterpret_cast<std::uintptr_t>(r.place), verb != Verb::get});
    } else if (verb == Verb::put) {
      elsewhere.push_back(&r);
    }
  }
  std::sort(here.begin(), here.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  // All pieces have one length, so a piece that overlaps another one also overlaps every piece that begins
  // between the two. It is enough to compare each piece with the last one read and the last one written.
  const auto length = static_cast<std::uintptr_t>(run);
  std::uintptr_t read_to = 0, written_to = 0;
  for (const Piece& piece : here) {
    // Accumulates to one place may come in any order.
    const bool after_write = piece.begin < written_to && !(piece.written && verb == Verb::accumulate);
    if (after_write || (piece.written && piece.begin < read_to)) return true;
    (piece.written ? written_to : read_to) = piece.begin + length;
  }
  std::sort(elsewhere.begin(), elsewhere.end(), [](const Run* a, const Run* b) { return before(*a, *b); });
  return std::adjacent_find(elsewhere.begin(), elsewhere.end(), [&](const Run* a, const Run* b) {
           return same_target(*a, *b) && b->offset < a->offset + run;
         }) != elsewhere.end();
}

}  // namespace tessera::detail
