// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Matrix routines on arrays, against ScaLAPACK on the layout it is fastest with, BLAS on each rank alone, and
// Global Arrays.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/runtime.hpp>

#include "ga_peer.hpp"
#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace {

std::optional<tessera::benchmark::linalg::Shape> shape_of(const std::string& text) {
  tessera::benchmark::linalg::Shape shape{};
  int end = 0;
  const bool is_one = std::sscanf(text.c_str(), "%ldx%ldx%ld%n", &shape.m, &shape.n, &shape.k, &end) == 3 &&
                      static_cast<std::size_t>(end) == text.size();
  const bool is_large_enough = shape.m > 0 && shape.n > 0 && shape.k > 0;
  return is_one && is_large_enough ? std::optional(shape) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::vector<std::string> shapes;
  auto parsed = parse_options(
      argc, argv, "Matrix routines on distributed arrays.", world.rank() == 0, [&](CLI::App& app) {
        app.add_option("--shape", shapes,
                       "gemm: only these, each as 4096x4096x32: rows, columns, products in a sum")
            ->type_name("MxNxK")
            ->check([](const std::string& text) {
              return shape_of(text) ? std::string() : "is not like 4096x4096x32";
            });
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.sample_seconds = 1e-3, .comparison_seconds = 20.0};

  Session session(runtime, "linalg", parsed.options);
  std::unique_ptr<ga_peer::Library> library;
  if (!ga_peer::available())
    session.note(ga_peer::why_not());
  else if (world.node_count() == 1)
    library = std::make_unique<ga_peer::Library>(std::int64_t{256} << 20);
  std::vector<linalg::Shape> only;
  for (const std::string& text : shapes) only.push_back(*shape_of(text));
  linalg::gemm(session, library != nullptr, only);
  linalg::batch(session);
  linalg::contractions(session);
  linalg::blocks(session);
  linalg::solvers(session);
  linalg::memory(session);
  session.note("A comparison that would take longer than twenty seconds has fewer pairs.");
  session.finish();
  return 0;
}
