// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Poisson's equation by Gauss-Seidel in red and black order: the rows at borders of strips by put_notify,
// messages and MPI's one-sided operations.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

#include <tessera/runtime/error.hpp>

#include "peers.hpp"
#include "ways.hpp"

namespace tessera::benchmark::poisson {
namespace {

constexpr index_t between_checks = 50;  // iterations

// The rows that go to neighbours come first, so that they travel while the others are computed.
void iterate(const Way& way, index_t iterations) {
  for (index_t i = 0; i < iterations; ++i) {
    for (const int colour : {0, 1}) {
      way.grid->sweep_outer_rows(colour);
      way.start(colour);
      way.grid->sweep_inner_rows(colour);
      way.finish();
    }
  }
}

// Iterates from 0 until no equation has a defect above the limit, which is times the square of the distance of
// points.
index_t solve(const Group& world, const Way& way, double limit) {
  way.grid->clear();
  world.barrier();
  index_t iterations = 0;
  do {
    iterate(way, between_checks);
    iterations += between_checks;
  } while (world.all_reduce(way.grid->defect(), Reduce::max) > limit);
  return iterations;
}

using Make = Way (*)(const Group&, index_t);

// A hundred iterations give the bits of one process that does all; and the error falls with the square of the
// distance.
void check(const Group& world, Make make) {
  constexpr index_t n = 37, iterations = 100;
  const index_t fitting = std::max<index_t>(n, world.size());
  const Way way = make(world, fitting);
  way.grid->clear();
  world.barrier();
  iterate(way, iterations);
  const Strip whole{fitting, 0, fitting};
  std::vector<double> memory(static_cast<std::size_t>(whole.points()));
  Grid alone(whole, memory.data());
  for (index_t i = 0; i < iterations; ++i) alone.sweep(0), alone.sweep(1);
  const std::vector<double> all = alone.inside(), found = way.grid->inside();
  const auto begin = all.begin() + way.grid->strip().first * fitting;
  require_everywhere(world, std::equal(found.begin(), found.end(), begin),
                     way.name + " differs from one process in " + std::to_string(iterations) + " iterations");
  double errors[2];
  for (const int level : {0, 1}) {
    const Way finer = make(world, 16 * (level + 1) - 1);
    static_cast<void>(solve(world, finer, 1e-14));
    errors[level] = world.all_reduce(finer.grid->error(), Reduce::max);
  }
  const double order = std::log2(errors[0] / errors[1]);
  require_everywhere(world, order > 1.95 && order < 2.05, way.name + " has order " + std::to_string(order));
}

std::string square(index_t n) { return std::to_string(n) + " x " + std::to_string(n); }

class Program {
 public:
  Program(Session& session, bool windows) : session_(session), world_(session.world()), windows_(windows) {
    check(world_, by_put_notify);
    check(world_, by_messages);
    if (windows_) check(world_, by_window);
  }

  void operator()(const std::vector<index_t>& sizes) {
    for (const index_t n : sizes)
      measure(n, "one iteration of " + square(n), [](const Way& way, index_t count) { iterate(way, count); });
    // The number of iterations grows with the square of the size.
    const index_t n = *std::min_element(sizes.begin(), sizes.end());
    measure(n, "from 0 to a defect of 1e-10, " + square(n), [this](const Way& way, index_t count) {
      for (index_t i = 0; i < count; ++i) static_cast<void>(solve(world_, way, 1e-10));
    });
  }

 private:
  using Calls = std::function<void(const Way&, index_t)>;

  void measure(index_t n, const std::string& name, const Calls& calls) {
    const auto routine = [&](const Way& way) { return [&calls, way](index_t count) { calls(way, count); }; };
    const bool one_node = world_.node_count() == 1;
    const Target target{Goal::at_least, !one_node ? 0.95 : n == 64 ? 1.3 : 1.0};
    const Way own = by_put_notify(world_, n), messages = by_messages(world_, n);
    std::vector<Reference> references{{.name = messages.name, .routine = routine(messages), .target = target}};
    if (windows_) {
      const Way window = by_window(world_, n);
      references.push_back({.name = window.name, .routine = routine(window), .target = target});
    }
    session_.compare({.section = "Gauss-Seidel in red and black order",
                      .name = name,
                      .routine = routine(own),
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     references);
  }

  Session& session_;
  const Group& world_;
  bool windows_;
};

}  // namespace
}  // namespace tessera::benchmark::poisson

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::vector<tessera::index_t> sizes;
  auto parsed =
      parse_options(argc, argv, "Gauss-Seidel for Poisson's equation, with rows exchanged in several ways.",
                    world.rank() == 0, [&](CLI::App& app) {
                      add_sizes(app, "--sizes", sizes, 15,
                                "Rows of the grids (64,128, and so on to 4096; with --quick to 256)");
                    });
  if (parsed.exit_status) return *parsed.exit_status;
  if (world.size() > 15)
    throw tessera::UsageError("poisson takes at most 15 ranks: its smallest grid has 15 rows");
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};

  if (sizes.empty()) {
    sizes = {64, 128, 256};
    if (!parsed.options.quick) sizes.insert(sizes.end(), {512, 1024, 2048, 4096});
  }
  Session session(runtime, "poisson", parsed.options);
  poisson::Program(session, has_windows(world))(sizes);
  session.note(
      "Before it is measured, each way makes 100 iterations, whose numbers must be those of one process bit "
      "for bit, and "
      "solves the equation on two grids, whose errors must fall with the square of the distance of points.");
  session.finish();
  return 0;
}
