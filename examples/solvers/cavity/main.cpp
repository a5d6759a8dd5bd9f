// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The flow in a cavity whose lid moves, by the lattice Boltzmann method with two relaxation rates.
#include <cmath>
#include <optional>

#include "flow.hpp"
#include "numbers.hpp"
#include "report.hpp"

namespace {

using namespace cavity;
using solvers::SolverError;

// Faster lids make errors of compressibility, and then instability: populations move at 1, sound at 0.577.
constexpr double fastest_lid = 0.25;
// Higher Reynolds numbers of a cell were found to be unstable, whatever the lid's speed.
constexpr double most_reynolds_of_cell = 20;
constexpr index_t between_checks = 100;  // steps

void require_useful(const Options& options) {
  if (!(options.lid <= fastest_lid)) {
    throw SolverError(
        fmt::format("a lid of speed {} is too fast for this method: the largest speed is {} (sound has 0.577)",
                    options.lid, fastest_lid));
  }
  const double least_size = std::ceil(options.reynolds / most_reynolds_of_cell);
  if (!(static_cast<double>(options.size) >= least_size)) {
    throw SolverError(fmt::format("Re {} is not stable with {} cells along a side: it needs at least {:.0f}",
                                  options.reynolds, options.size, least_size));
  }
  if (options.dimensions == 2 && (options.depth > 0 || options.span != "walls"))
    throw SolverError("--depth and --span are for --dimensions 3");
}

template <class Lattice>
void solve(const Options& options, const FlowOptions<Lattice>& flow_options, const tessera::Group& world) {
  Flow<Lattice> flow(world, flow_options);
  solvers::Run run(world, options.run, options.steps);
  run.add("populations", flow.populations());
  run.add_parameter("Reynolds number", options.reynolds);
  run.add_parameter("speed of the lid", options.lid);
  run.add_parameter("span", options.dimensions == 2 ? "none" : options.span);
  const index_t first = run.start();
  flow.restored();
  const double turnover = static_cast<double>(options.size) / options.lid;  // steps
  double change = 0;              // per turnover, in speeds of the lid
  std::optional<double> earlier;  // after half of the steps at most
  while (run.next()) {
    flow.step();
    const index_t done = run.step() + 1;
    if (done % between_checks != 0 && done != options.steps) continue;
    solvers::require_finite(flow.populations(), "a population", done);
    change = flow.change() * turnover / options.lid;
    if (done <= options.steps / 2) earlier = change;
    if (change < options.until_steady) run.stop();
  }
  const double seconds = run.seconds();
  if (!run.finish()) return;
  const index_t steps = run.step();
  if (world.rank() == 0) {
    fmt::print("{} steps, {:.1f} turnovers of {:.0f} steps\n", steps, static_cast<double>(steps) / turnover,
               turnover);
    if (steps > first) fmt::print("Velocities change by {:.1e} of the lid's speed per turnover\n", change);
  }
  report(flow, options);
  solvers::report_speed(world, flow.times(), seconds,
                        static_cast<double>(steps - first) * static_cast<double>(flow_options.grid.size()),
                        "MLUPS");
  if (options.until_steady > 0 && steps > first && !(change < options.until_steady)) {
    throw SolverError(fmt::format(
        "not steady after {} steps: velocities change by {:.1e} of the lid's speed per turnover{}; take more "
        "--steps",
        steps, change, earlier ? fmt::format(", by {:.1e} after half of the steps", *earlier) : ""));
  }
}

void solve(const Options& options, const tessera::Runtime& runtime) {
  require_useful(options);
  solvers::require_picture(runtime.world(), options.picture);
  const tessera::Group& world = runtime.world();
  const index_t n = options.size;
  const Walls walls{options.lid, options.is_span_periodic()};
  if (world.rank() == 0) {
    fmt::print("{}\nRe {}, {} cells along each side, lid at {}, viscosity {:.5g}\n", runtime.description(),
               options.reynolds, n, options.lid, options.viscosity());
  }
  if (options.dimensions == 2)
    solve<D2Q9>(options, {{n, n}, options.viscosity(), walls}, world);
  else
    solve<D3Q19>(options, {{options.depth > 0 ? options.depth : n, n, n}, options.viscosity(), walls}, world);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The flow in a cavity whose lid moves, by the lattice Boltzmann method", "cavity"};
  app.add_option("--size", options.size, "Cells along each side")
      ->check(CLI::Range(4, 100000))
      ->capture_default_str();
  app.add_option("--dimensions", options.dimensions, "2 (D2Q9) or 3 (D3Q19)")
      ->check(CLI::IsMember({2, 3}))
      ->capture_default_str();
  app.add_option("--span", options.span, "Ends of the third dimension: walls or periodic")
      ->check(CLI::IsMember({"walls", "periodic"}))
      ->capture_default_str();
  app.add_option("--depth", options.depth,
                 "Cells along the third dimension, if not as many as along the others")
      ->check(CLI::Range(1, 100000));
  app.add_option("--reynolds", options.reynolds, "Speed of the lid times side over viscosity")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--lid", options.lid, "Speed of the lid, in cells per step")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--steps", options.steps, "Time steps, at most")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--until-steady", options.until_steady,
                 "End when no velocity changes by more than this share of the lid's speed per turnover, which "
                 "is the time in which the lid moves by a side")
      ->check(numbers::positive());
  app.add_option("--picture", options.picture, "Write the speed to a PNG file");
  solvers::add_run_options(app, options.run);
  return solvers::run_program(app, argc, argv,
                              [&](const tessera::Runtime& runtime) { solve(options, runtime); });
}
