// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// MultiGrid of the NAS Parallel Benchmarks: V-cycles for Poisson's equation in a periodic cube. The official
// norm must come out in each way; then arrays with ghost cells are timed against messages of MPI by hand.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "session.hpp"
#include "solver.hpp"
#include "ways.hpp"

namespace tessera::benchmark::mg {
namespace {

class Program {
 public:
  explicit Program(Session& session) : session_(session), world_(session.world()) {}

  void measure(const Problem& problem) {
    const std::string n = std::to_string(problem.points());
    const std::vector<Charge> right_side = charges(problem);
    const Target target{Goal::at_least, world_.node_count() == 1 ? 1 / 1.1 : 0.95};
    const Routine own = routine<TesseraWay>(problem, right_side);
    const Routine messages = routine<MessageWay>(problem, right_side);
    session_.compare({.section = "MultiGrid, all iterations of a class",
                      .name = "class " + std::string(problem.name) + ", " + n + " x " + n + " x " + n + ", " +
                              std::to_string(problem.iterations) + " iterations: " + TesseraWay::name,
                      .routine = own,
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     {{.name = MessageWay::name, .routine = messages, .target = target}});
  }

 private:
  // The whole benchmark in one way. Every run must have the official norm.
  template <class Way>
  Routine routine(const Problem& problem, const std::vector<Charge>& right_side) {
    const auto solver = std::make_shared<Solver<Way>>(world_, problem, right_side);
    const auto run = [solver, problem] {
      constexpr double tolerance = 1e-8;  // the specification's
      const double norm = solver->run();
      char text[32];
      std::snprintf(text, sizeof text, "%.13e", norm);
      require(std::abs(norm / problem.norm - 1) <= tolerance,
              std::string(Way::name) + ": the norm of class " + std::string(problem.name) + " is " + text);
    };
    run();
    if (world_.rank() == 0)
      std::fprintf(stderr, "class %s: %s has the official norm\n", std::string(problem.name).c_str(),
                   Way::name);
    return repeat(run);
  }

  Session& session_;
  const Group& world_;
};

}  // namespace
}  // namespace tessera::benchmark::mg

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::string only;
  auto parsed = parse_options(
      argc, argv, "MultiGrid of the NAS Parallel Benchmarks, with ghost cells exchanged in two ways.",
      world.rank() == 0, [&](CLI::App& app) {
        app.add_option("--class", only,
                       "One class alone: S has 32 points in each dimension, W 128, A and B 256; "
                       "B makes 20 iterations, the others 4 (all classes; with --quick S)")
            ->check(CLI::IsMember({"S", "W", "A", "B"}))
            ->type_name("CLASS");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 120.0};
  if (only.empty() && parsed.options.quick) only = "S";

  Session session(runtime, "mg", parsed.options);
  mg::Program program(session);
  for (const mg::Problem& problem : mg::problems()) {
    if (only.empty() || problem.name == only) program.measure(problem);
  }
  session.note(
      "Every run ends with the norm of the residual, which must be the official one (relative error 1e-8).");
  session.finish();
  return 0;
}
