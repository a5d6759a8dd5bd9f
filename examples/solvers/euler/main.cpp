// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The equations of Euler for a gas in two dimensions: finite volumes with limited linear reconstruction and
// HLLC.
#include <cmath>

#include "gas.hpp"
#include "numbers.hpp"
#include "run/run.hpp"

namespace {

using namespace euler;
using solvers::SolverError;

constexpr index_t unlimited = 1'000'000'000;  // steps

struct Options {
  solvers::RunOptions run;
  std::string which = "sod", picture;
  index_t size = 100, steps = unlimited;
  double courant = 0.4;
  std::optional<double> end;
  bool convergence = false;

  Case chosen_case() const {
    Case chosen = which == "sod" ? sod() : which == "vortex" ? vortex() : blast();
    chosen.end = end.value_or(chosen.end);
    return chosen;
  }
};

void require_useful(const Options& options) {
  if (!(options.courant <= Gas::greatest_courant)) {
    throw SolverError(fmt::format("a Courant number of {} is not stable: the largest is {}", options.courant,
                                  Gas::greatest_courant));
  }
  if (options.convergence &&
      (!options.run.checkpoint.empty() || !options.picture.empty() || options.steps != unlimited)) {
    throw SolverError(
        "--convergence compares four grids at the same time, so it takes no --checkpoint, --picture or "
        "--steps; --end gives an earlier time");
  }
  if (options.convergence && !options.chosen_case().is_exact)
    throw SolverError(fmt::format("--convergence needs a case with a known solution, not {}", options.which));
}

// The state at the beginning of a run, and where it has come to.
struct Progress {
  double time = 0;
  index_t steps = 0;  ///< of this run
  double seconds = 0;
  bool is_done = false;
};

Progress advance(Gas& gas, const Case& which, const Options& options) {
  Progress progress;
  solvers::Run run(gas.world(), options.run, options.steps);
  run.add("states", gas.states());
  run.add("time", progress.time);
  run.add_parameter("case", which.name);
  run.add_parameter("Courant number", options.courant);
  const index_t first = run.start();
  const auto note = [&] {
    run.set_share(progress.time / which.end);
    if (progress.time >= which.end) run.stop();
  };
  note();
  while (run.next()) {
    const double dt = gas.time_step(options.courant, run.step());
    const double left = which.end - progress.time;
    gas.step(std::min(dt, left));
    progress.time = dt < left ? progress.time + dt : which.end;
    note();
  }
  progress.seconds = run.seconds();
  progress.steps = run.step() - first;
  progress.is_done = run.finish();
  return progress;
}

void print_drift(const Totals& before, const Totals& after) {
  // Momenta may be 0 at first: what counts is the largest that the energy allows.
  const double momentum = std::sqrt(2 * before[0] * before[3]);
  const Totals scales{before[0], momentum, momentum, before[3]};
  for (std::size_t k = 0; k < members.size(); ++k)
    fmt::print("Total {}: {:.15g}, drift {:.1e}\n", k == 0 ? "mass" : members[k].name, after[k],
               (after[k] - before[k]) / scales[k]);
}

void report(Gas& gas, const Case& which, const Options& options, const Progress& progress,
            const Totals& before) {
  const bool speaks = gas.world().rank() == 0;
  const Totals after = gas.totals();
  const double least_density = min_element(gas.states().slice().member(&State::density)).value;
  const double least_pressure = min_element(gas.pressure()).value;
  if (speaks) {
    fmt::print("Time {:.6g} after {} steps of this run; least density {:.6g}, least pressure {:.6g}\n",
               progress.time, progress.steps, least_density, least_pressure);
    if (which.is_closed()) print_drift(before, after);
  }
  if (which.is_exact) {
    const double error = gas.error(progress.time);
    if (speaks) fmt::print("Mean difference of the density from the exact one: {:.6e}\n", error);
  } else {
    const double asymmetry = gas.asymmetry();
    if (speaks) fmt::print("Largest asymmetry of the density: {:.1e}\n", asymmetry);
  }
  if (!options.picture.empty()) {
    tessera::io::write_picture(gas.states().slice().member(&State::density), options.picture,
                               {.first_row = tessera::io::FirstRow::bottom,
                                .title = fmt::format("density at time {:.4g}", progress.time)});
  }
}

void run_once(const tessera::Group& world, const Case& which, const Options& options) {
  Gas gas(world, which, options.size);
  const Totals before = gas.totals();
  const Progress progress = advance(gas, which, options);
  if (!progress.is_done) return;
  report(gas, which, options, progress, before);
  solvers::report_speed(world, gas.times(), progress.seconds,
                        static_cast<double>(progress.steps) * static_cast<double>(gas.states().size()),
                        "million updates of cells per second");
}

// Errors on four grids, each twice as fine as the one before.
void run_convergence(const tessera::Group& world, const Case& which, const Options& options) {
  double before = 0;
  for (index_t size = options.size; size <= 8 * options.size; size *= 2) {
    Gas gas(world, which, size);
    const Progress progress = advance(gas, which, options);
    const double error = gas.error(progress.time);
    if (world.rank() == 0) {
      fmt::print("{:5} columns, {:5} steps: mean difference of the density {:.4e}", size, progress.steps,
                 error);
      if (before > 0) fmt::print(", order {:.2f}", std::log2(before / error));
      fmt::print("\n");
    }
    before = error;
  }
}

void solve(const Options& options, const tessera::Runtime& runtime) {
  require_useful(options);
  solvers::require_picture(runtime.world(), options.picture);
  const Case which = options.chosen_case();
  if (runtime.world().rank() == 0) {
    fmt::print("{}\nCase {}, {} columns, until time {}, Courant number {}\n", runtime.description(), which.name,
               options.size, which.end, options.courant);
  }
  if (options.convergence)
    run_convergence(runtime.world(), which, options);
  else
    run_once(runtime.world(), which, options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"A gas in two dimensions: the equations of Euler by finite volumes", "euler"};
  app.add_option("--case", options.which,
                 "sod (a shock tube), vortex (carried through a periodic box), blast (in a closed box)")
      ->check(CLI::IsMember({"sod", "vortex", "blast"}))
      ->capture_default_str();
  app.add_option("--size", options.size, "Columns of cells")
      ->check(CLI::Range(4, 100000))
      ->capture_default_str();
  app.add_option("--end", options.end, "The last time, if not that of the case")->check(numbers::positive());
  app.add_option("--steps", options.steps, "Time steps, at most")->check(numbers::positive());
  app.add_option("--cfl", options.courant, "Courant number")->check(numbers::positive())->capture_default_str();
  app.add_flag("--convergence", options.convergence,
               "Compare four grids, from --size columns to eight times as many");
  app.add_option("--picture", options.picture, "Write the density to a PNG file");
  solvers::add_run_options(app, options.run);
  return solvers::run_program(app, argc, argv,
                              [&](const tessera::Runtime& runtime) { solve(options, runtime); });
}
