// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// put and get of 8 B and 1 MiB, with every rank as the target: how the time depends on its rank, and on whether
// it is on this node.
#include <tessera/runtime/local_buffer.hpp>

#include "library_movers.hpp"
#include "sections.hpp"

namespace tessera::benchmark::sweeps {
namespace {

constexpr const char* section = "distance: every rank as the target";
constexpr index_t sizes[] = {element, mib};

// As seen by rank 0.
std::string place_of(const Group& world, int rank) {
  const std::string name = "rank " + std::to_string(rank);
  if (rank == 0) return name + ", itself";
  const int node = world.node_of(rank);
  return name + (node == world.node_of(0) ? ", own node" : ", node " + std::to_string(node));
}

}  // namespace

void distance(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  Segment segment(world, mib, "blocks");
  MpiMovers by_mpi(world, place.windows, mib);
  std::unique_ptr<armci_peer::Memory> armci;
  if (place.armci) armci = armci_peer::allocate(world, mib);
  const LocalBuffer<double> buffer(mib / element);
  for (const index_t bytes : sizes) {
    const Rows block = Rows::contiguous(bytes);
    for (int rank = 0; rank < world.size(); ++rank) {
      Mover own = by_segment(segment, rank, block, buffer.data(), waiting(world));
      own.accumulate = {};
      std::vector<Mover> others{by_mpi.of(rank, bytes, buffer.data())};
      if (armci) others.push_back(by_armci(*armci, rank, block, buffer.data()));
      measure(session, {section, format_bytes(bytes) + ", " + place_of(world, rank), places_of(block), rank},
              span_of(buffer), own, others);
    }
  }
  segment.close();
}

}  // namespace tessera::benchmark::sweeps
