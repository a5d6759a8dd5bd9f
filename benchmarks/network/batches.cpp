// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A thousand doubles at random places, against their bytes and those of their places in one piece.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/vector.hpp>

#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "batch: 1,000 doubles at random places";
constexpr index_t count = 1000, slice = 8 * mib;
constexpr index_t packed_bytes = 2 * count * element;  // each with its place

std::vector<index_t> random_places() {
  std::vector<index_t> places(slice / element);
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937_64(20061103));
  places.resize(count);
  return places;
}

}  // namespace

void batches(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  Segment segment(world, slice, "scattered");
  const LocalBuffer<double> memory(slice / element);
  const std::span<double> buffer = span_of(memory);
  double* values = buffer.data();
  const std::vector<index_t> places = random_places();
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  for (index_t i = 0; i < count; ++i) {
    remote.push_back({&segment, target, places[static_cast<std::size_t>(i)] * element});
    local.push_back(reinterpret_cast<std::byte*>(values + i));
  }
  const Vector list{element, remote, local};
  Batch batch;

  const auto put_batch = [&] {
    for (index_t i = 0; i < count; ++i)
      batch.put(segment, target, places[static_cast<std::size_t>(i)] * element, values + i, element);
    batch.send();
    segment.flush(target);
  };
  const auto get_batch = [&] {
    for (index_t i = 0; i < count; ++i)
      batch.get(segment, target, places[static_cast<std::size_t>(i)] * element, values + i, element);
    batch.send();
  };
  const auto put_list = [&] {
    tessera::put(list);
    segment.flush(target);
  };
  const auto store_all = [&] {
    for (index_t i = 0; i < count; ++i)
      segment.store(target, places[static_cast<std::size_t>(i)] * element, values[i]);
    segment.flush(target);
  };

  const Mover block = by_segment(segment, target, Rows::contiguous(packed_bytes), values, ends.waiting());
  MpiMovers peer(ends.world(), ends.has_windows(), packed_bytes);
  const Mover other = peer.of(target, packed_bytes, values);
  const auto row = [&](const std::string& name, Operation operation, const auto& call,
                       std::optional<Target> goal) {
    Mover own{.memory = block.memory, .sync = block.sync};
    Reference& way = operation == Operation::put ? own.put : own.get;
    way = {.name = name, .routine = repeat(call), .others = ends.waiting()};
    check(world, {section, name, places}, buffer, own, operation);
    Reference reference = block.of(operation), theirs = other.of(operation);
    reference.name += " of 16,000 B";
    theirs.name += " of 16,000 B";
    reference.target = theirs.target = goal;
    session.compare({.section = section,
                     .name = name + waits,
                     .routine = way.routine,
                     .bytes = static_cast<double>(count * element),
                     .others = way.others},
                    {reference, theirs});
  };
  const Target half_as_fast{Goal::at_least, 0.5};
  row("put by a Batch", Operation::put, put_batch, half_as_fast);
  row("put by a Vector", Operation::put, put_list, half_as_fast);
  row("stored one by one", Operation::put, store_all, {});
  row("got by a Batch", Operation::get, get_batch, {});
  row("got by a Vector", Operation::get, [&] { tessera::get(list); }, {});
  segment.close();
}

}  // namespace tessera::benchmark::network
