// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Matrix routines on arrays, against ScaLAPACK on the layout it is fastest with, BLAS on each rank alone, and
// Global Arrays.
#include <CLI/CLI.hpp>
#include <memory>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>

#include "ga_peer.hpp"
#include "scalapack_peer.hpp"
#include "sections.hpp"

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::string topology;
  auto parsed = parse_options(
      argc, argv, "Matrix routines on distributed arrays.", world.rank() == 0, [&](CLI::App& app) {
        app.add_option("--topology", topology, "What is between the ranks, for the report")->type_name("TEXT");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.topology = topology;
  parsed.options.full = {.sample_seconds = 1e-3, .comparison_seconds = 20.0};

  Session session(runtime, "linalg", parsed.options);
  std::unique_ptr<ga_peer::Library> library;
  if (!ga_peer::available())
    session.note(ga_peer::why_not());
  else if (world.node_count() == 1)
    library = std::make_unique<ga_peer::Library>(std::int64_t{256} << 20);
  linalg::gemm(session, library != nullptr);
  linalg::batch(session);
  linalg::solvers(session);
  linalg::memory(session);
  session.note("A comparison that would take longer than twenty seconds has fewer pairs.");
  session.finish();
  return 0;
}
