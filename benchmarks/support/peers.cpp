// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "peers.hpp"

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::benchmark {

bool has_windows(const Group& world) {
  if (world.node_count() == 1) return true;
  try {
    Segment trial(world, 64, {.domain = AtomicDomain::mpi});
    trial.close();
    return true;
  } catch (const WindowError&) {
    return false;
  }
}

Peers start_peers(Session& session, const Runtime& runtime, std::int64_t scratch) {
  Peers peers{has_windows(runtime.world()), nullptr};
  // Global Arrays uses all processes, including those of agents, and needs windows.
  if (!ga_peer::available()) {
    session.note(ga_peer::why_not());
  } else if (peers.windows && runtime.progress() != ProgressMode::rank) {
    peers.global_arrays = std::make_unique<ga_peer::Library>(scratch);
  } else {
    session.note(
        "Not compared with Global Arrays: it needs MPI's windows between the nodes, and processes without "
        "agents.");
  }
  return peers;
}

}  // namespace tessera::benchmark
