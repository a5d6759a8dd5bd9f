// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Every one-sided operation on one node, against what can be written by hand, against MPI's own one-sided
// operations and against ARMCI and Global Arrays.
#include <memory>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>

#include "collectives.hpp"
#include "ga_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {

std::vector<Side> sides(const Group& world) {
  std::vector<Side> all{{0, "own"}};
  if (world.size() > 1) all.push_back({world.size() - 1, "other rank's"});
  return all;
}

}  // namespace tessera::benchmark::onesided

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const auto parsed = parse_options(
      argc, argv, "Every one-sided operation on one node: transfers, single values, synchronisation, memory.",
      runtime.world().rank() == 0);
  if (parsed.exit_status) return *parsed.exit_status;
  if (runtime.world().node_count() > 1) throw tessera::UsageError("onesided measures what happens on one node");

  std::unique_ptr<ga_peer::Library> library;
  Session session(runtime, "onesided", parsed.options);
  if (ga_peer::available()) {
    library = std::make_unique<ga_peer::Library>();
  } else {
    session.note(ga_peer::why_not());
  }
  onesided::latency_and_bandwidth(session);
  onesided::strided_runs(session);
  onesided::patches(session);
  onesided::vectors(session);
  onesided::single_elements(session);
  onesided::single_updates(session);
  onesided::contention(session);
  onesided::synchronisation(session);
  measure_collectives(session);
  onesided::mutexes(session);
  onesided::memory(session);
  session.finish();
  return 0;
}
