// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Lists of short runs at random places of the other rank's memory, by each of the methods.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <tessera/runtime/vector.hpp>

#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr index_t slice = 8 * mib, most = 1024;
const double one = 1.0;

// Where the runs begin. Each run has one or more cache lines of its own, at a random place, and begins at a
// random element inside them.
std::vector<index_t> random_offsets(index_t runs, index_t bytes) {
  const index_t line = std::max(bytes, index_t{64});
  std::mt19937_64 random(20061103);
  std::vector<index_t> lines(static_cast<std::size_t>(slice / line));
  std::iota(lines.begin(), lines.end(), 0);
  std::shuffle(lines.begin(), lines.end(), random);
  std::vector<index_t> offsets(lines.begin(), lines.begin() + runs);
  const auto choices = static_cast<std::uint64_t>((line - bytes) / element + 1);
  for (index_t& offset : offsets) offset = offset * line + static_cast<index_t>(random() % choices) * element;
  return offsets;
}

// The runs as addresses on either side, for loops by hand and for ARMCI.
struct Addresses {
  std::vector<std::byte*> remote, local;
};

Addresses addresses(std::byte* memory, const std::vector<index_t>& offsets, double* buffer, index_t bytes) {
  Addresses all;
  auto* local = reinterpret_cast<std::byte*>(buffer);
  for (const index_t offset : offsets) {
    all.remote.push_back(memory + offset);
    all.local.push_back(local);
    local += bytes;
  }
  return all;
}

template <index_t Bytes>
void copy_runs(const std::vector<std::byte*>& to, const std::vector<std::byte*>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) std::memcpy(to[i], from[i], Bytes);
  keep(to.data());
}

template <index_t Bytes>
void add_runs(const std::vector<std::byte*>& to, const std::vector<std::byte*>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto* y = reinterpret_cast<double*>(to[i]);
    const auto* x = reinterpret_cast<const double*>(from[i]);
    for (index_t j = 0; j < Bytes / element; ++j) y[j] += x[j];
  }
  keep(to.data());
}

template <index_t Bytes>
Mover lists_by_hand(const Segment& segment, const Addresses& at) {
  const auto own = reinterpret_cast<double*>(segment.address(segment.group().rank()));
  return {.put = {"a loop of memcpy", repeat([&at] { copy_runs<Bytes>(at.remote, at.local); })},
          .get = {"a loop of memcpy", repeat([&at] { copy_runs<Bytes>(at.local, at.remote); })},
          .accumulate = {"a loop without locks", repeat([&at] { add_runs<Bytes>(at.remote, at.local); })},
          .memory = {own, slice / element},
          .sync = [&segment] { segment.sync(); }};
}

Mover lists_by_tessera(const Mover& same_memory, const Vector& list, VectorMethod method) {
  const std::string name = to_string(method);
  return {.put = {name, repeat([=] { tessera::put(list, method); })},
          .get = {name, repeat([=] { tessera::get(list, method); })},
          .accumulate = {name, repeat([=] { tessera::accumulate(list, ElementKind::float64, &one, method); })},
          .memory = same_memory.memory,
          .sync = same_memory.sync};
}

Mover lists_by_armci(armci_peer::Memory* memory, int rank, armci_peer::List* list) {
  return {.put = {"ARMCI", repeat([=] { memory->put(rank, *list); }), no_slower},
          .get = {"ARMCI", repeat([=] { memory->get(rank, *list); }), no_slower},
          .accumulate = {"ARMCI", repeat([=] { memory->accumulate(rank, *list); }), no_slower},
          .memory = {memory->own(), slice / element},
          .sync = armci_peer::sync};
}

template <index_t Bytes>
void measure_lists(Session& session, const std::string& section, index_t runs) {
  const Group& world = session.world();
  const int rank = world.size() - 1;
  const std::vector<index_t> offsets = random_offsets(runs, Bytes);
  LineAligned memory(runs * Bytes / element);
  const std::span<double> buffer = memory.span();
  Segment segment(world, slice, "lists");
  const Addresses at = addresses(segment.address(rank), offsets, buffer.data(), Bytes);
  std::vector<Place> remote;
  std::vector<index_t> places;
  for (const index_t offset : offsets) {
    remote.push_back({&segment, rank, offset});
    for (index_t j = 0; j < Bytes / element; ++j) places.push_back(offset / element + j);
  }
  const auto armci = armci_peer::allocate(world, slice);
  armci_peer::List list{Bytes, {}, {at.local.begin(), at.local.end()}};
  if (armci) {
    const Addresses theirs = addresses(armci->address(rank), offsets, buffer.data(), Bytes);
    list.remote.assign(theirs.remote.begin(), theirs.remote.end());
  }

  const Mover hand = lists_by_hand<Bytes>(segment, at);
  for (const VectorMethod method :
       {VectorMethod::automatic, VectorMethod::conservative, VectorMethod::batched, VectorMethod::direct}) {
    std::vector<Mover> others{hand};
    if (runs != most && method != VectorMethod::automatic) continue;
    if (armci && method == VectorMethod::automatic) others.push_back(lists_by_armci(armci.get(), rank, &list));
    measure(session,
            {section, std::to_string(runs) + " x " + format_bytes(Bytes) + ", " + to_string(method), places},
            buffer, lists_by_tessera(hand, {Bytes, remote, at.local}, method), others);
  }
}

}  // namespace

void vectors(Session& session) {
  const std::string section = "vectors: lists of runs at random places";
  if (!session.wants(section) || session.world().size() == 1) return;
  for (const index_t runs : {index_t{4}, index_t{64}, most}) {
    measure_lists<16>(session, section, runs);
    measure_lists<1024>(session, section, runs);
  }
}

}  // namespace tessera::benchmark::onesided
