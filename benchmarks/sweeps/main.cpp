// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Sweeps over one quantity at a time: transfers against the rank and the distance of their target, against the
// shape of a patch, strided accumulates, accumulates made by the source against the target's agent, and gets
// into memory that no transfer has used; against MPI and ARMCI.
#include <CLI/CLI.hpp>

#include "peers.hpp"
#include "sections.hpp"

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  auto parsed = parse_options(
      argc, argv,
      "Sweeps: distance of the target, shape of patches, accumulates, memory that no transfer has used.",
      world.rank() == 0, [](CLI::App& app) {
        app.footer(
            "Sections (for --only):\n"
            "  distance: put and get, every rank as the target\n"
            "  shape: patches of columns, against as many bytes in rows\n"
            "  strided accumulate: short runs\n"
            "  driver: accumulate by the target's agent, against lock, get, add, put and unlock by the source\n"
            "  registration: get into memory that no transfer has used, against memory that one has");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.sample_seconds = world.node_count() == 1 ? 20e-6 : 1e-3, .comparison_seconds = 2.0};

  Session session(runtime, "sweeps", parsed.options);
  const Peers peers = start_peers(session, runtime);
  const bool served = runtime.progress() != tessera::ProgressMode::poll;
  const sweeps::Place place{peers.windows, peers.global_arrays != nullptr, served};
  sweeps::distance(session, place);
  sweeps::shapes(session, place);
  sweeps::strided_accumulate(session, place);
  sweeps::drivers(session, place);
  sweeps::registration(session, place);
  if (!peers.windows) session.note("MPI has no windows between these nodes: its messages stand for them.");
  session.note("A comparison that would take longer than two seconds has fewer pairs, but two.");
  session.finish();
  return 0;
}
