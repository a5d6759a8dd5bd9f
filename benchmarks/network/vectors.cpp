// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Lists of short runs to one target: in batches (the curve of Dinan et al., IPDPS 2012, section VI-A), and with
// the overlap check of the automatic method.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>

#include <tessera/runtime/vector.hpp>

#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char *in_batches = "vectors: 1,024 runs of 64 B at random places, in batches",
                     *with_check = "vectors: runs of 8 B at random places, with the overlap check";

enum class Local { in_order, shuffled };

// Runs at random places of the target's slice and at places of a buffer. No two overlap.
struct List {
  std::vector<index_t> places;  // in elements
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  index_t run;

  List(const Segment& segment, double* buffer, index_t runs, index_t bytes, Local order) : run(bytes) {
    std::vector<index_t> slots(static_cast<std::size_t>(segment.slice_bytes() / bytes));
    std::iota(slots.begin(), slots.end(), 0);
    std::mt19937_64 random(20061103);
    std::shuffle(slots.begin(), slots.end(), random);
    for (index_t i = 0; i < runs; ++i) {
      const index_t offset = slots[static_cast<std::size_t>(i)] * bytes;
      for (index_t j = 0; j < bytes / element; ++j) places.push_back(offset / element + j);
      remote.push_back({&segment, target, offset});
      local.push_back(reinterpret_cast<std::byte*>(buffer) + i * bytes);
    }
    if (order == Local::in_order) return;
    // In pairs, so that each place keeps its run.
    std::vector<std::size_t> turns(remote.size());
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    std::shuffle(turns.begin(), turns.end(), random);
    const std::vector<Place> there = remote;
    const std::vector<std::byte*> here = local;
    for (std::size_t i = 0; i < turns.size(); ++i) remote[i] = there[turns[i]], local[i] = here[turns[i]];
  }
  Vector vector() const { return {run, remote, local}; }
};

Mover by_list(const Segment& segment, const List& list, const VectorOptions& options, const Ends& ends) {
  auto* own = reinterpret_cast<double*>(segment.address(segment.group().rank()));
  return {.put = {.name = "no limit",
                  .routine = repeat([&segment, &list, options] {
                    tessera::put(list.vector(), options);
                    segment.flush(target);
                  }),
                  .others = ends.waiting()},
          .get = {.name = "no limit",
                  .routine = repeat([&list, options] { tessera::get(list.vector(), options); }),
                  .others = ends.waiting()},
          .memory = {own, static_cast<std::size_t>(segment.slice_bytes() / element)},
          .sync = [&segment] { segment.sync(); }};
}

void measure_batches(Session& session, Ends& ends, TransferMethod method, const std::string& way) {
  Segment segment(ends.world(), mib, {.name = "batches", .method = method});
  const LocalBuffer<double> memory(mib / element);
  const List list(segment, memory.begin(), 1024, 64, Local::in_order);
  const Mover whole = by_list(segment, list, VectorMethod::batched, ends);
  for (const index_t batch : {1, 4, 16, 64, 256, 1024}) {
    const Mover limited = by_list(segment, list, {VectorMethod::batched, batch}, ends);
    measure(session, {in_batches, fmt::format("{}, {} at a time", way, batch), list.places}, span_of(memory),
            limited, {whole});
  }
  segment.close();
}

// Gets, as agents do puts in the order of the list and need no check.
void measure_check(Session& session, Ends& ends) {
  constexpr index_t most = 100'000, slice = 2 * most * element;
  Segment segment(ends.world(), slice, "checked");
  const LocalBuffer<double> memory(most);
  for (const Local order : {Local::in_order, Local::shuffled}) {
    const char* name = order == Local::in_order ? "local side in order" : "local side shuffled";
    for (const index_t runs : {index_t{100}, index_t{1000}, index_t{10'000}, most}) {
      const List list(segment, memory.begin(), runs, element, order);
      Mover checked = by_list(segment, list, VectorMethod::automatic, ends);
      Mover promised = by_list(segment, list, VectorMethod::batched, ends);
      promised.get.name = "promised not to overlap";
      checked.put = promised.put = {};
      measure(session, {with_check, fmt::format("{} runs, {}", runs, name), list.places}, span_of(memory),
              checked, {promised});
    }
  }
  segment.close();
}

}  // namespace

void vectors(Session& session, Ends& ends) {
  if (session.wants(in_batches)) {
    measure_batches(session, ends, TransferMethod::packed, "by agents");
    if (ends.has_windows()) measure_batches(session, ends, TransferMethod::batched, "by MPI's operations");
  }
  if (session.wants(with_check)) measure_check(session, ends);
}

}  // namespace tessera::benchmark::network
