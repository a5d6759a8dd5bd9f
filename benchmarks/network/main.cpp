// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Operations between nodes: transfers, accumulates, many small transfers, progress, overlap; against MPI and
// ARMCI.
#include <CLI/CLI.hpp>

#include <tessera/runtime/runtime.hpp>

#include "collectives.hpp"
#include "sections.hpp"

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  bool slow_wire = false;
  auto parsed = parse_options(
      argc, argv, "What happens between two nodes: transfers, progress, overlap. Takes 2 ranks on 2 nodes.",
      runtime.world().rank() == 0, [&](CLI::App& app) {
        app.add_flag("--slow-wire", slow_wire,
                     "The wire is slower than the processors: measures overlap and both directions alone, and "
                     "judges them");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  // An operation takes tens of microseconds here, and a large one tens of milliseconds.
  parsed.options.full = {.sample_seconds = 1e-3, .comparison_seconds = 2.0};

  network::Ends ends(runtime);
  Session session(runtime, "network", parsed.options);
  if (!slow_wire) {
    network::contiguous(session, ends);
    network::messages(session, ends);
    network::strided(session, ends);
    network::accumulate(session, ends);
    network::batches(session, ends);
    network::vectors(session, ends);
    network::latencies(session, ends);
    network::load(session, ends);
  }
  network::overlap(session, ends, slow_wire);
  network::both_ways(session, ends, slow_wire);
  if (!slow_wire) {
    measure_collectives(session);
    network::exchange(session, ends);
    network::buffers(session, ends);
    // Global Arrays uses all processes, including those of agents.
    if (runtime.progress() != tessera::ProgressMode::rank) network::incumbent(session, ends);
  }
  session.note(
      "A comparison that would take longer than two seconds has fewer pairs, but two."
      " MPI's own operations find their target in MPI_Barrier, Tessera's in Group::barrier.");
  session.finish();
  ends.close();
  return 0;
}
