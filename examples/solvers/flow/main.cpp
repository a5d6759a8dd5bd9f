// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Incompressible flow on a staggered grid, in two or three dimensions: vortices, a cavity and a channel.
#include <cmath>
#include <map>

#include "numbers.hpp"
#include "simulate.hpp"

namespace {

using namespace flow;

// Four grids, each twice as fine as the one before.
void simulate_grids(const tessera::Group& world, ProgramOptions options) {
  if (options.flow.name != CaseName::taylor_green || options.dimensions != 2 ||
      !options.run.checkpoint.empty() || options.steps > 0) {
    throw solvers::SolverError(
        "--convergence is for two-dimensional Taylor-Green vortices, which have a known solution; "
        "without checkpoints and --steps");
  }
  double before = 0;
  for (int grid = 0; grid < 4; ++grid) {
    const double error = simulate<2>(world, options).value();
    if (grid > 0 && world.rank() == 0) fmt::print("order of the error {:.2f}\n", std::log2(before / error));
    before = error;
    for (index_t& cells : options.flow.cells) cells *= 2;
    options.dt /= 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app("Simulates incompressible flow on a staggered grid.", "flow");
  std::map<std::string, CaseName> cases;
  for (const CaseName name : {CaseName::taylor_green, CaseName::cavity, CaseName::channel})
    cases[name_of(name)] = name;
  const std::map<std::string, PressureMethod> methods{{"automatic", PressureMethod::automatic},
                                                      {"multigrid", PressureMethod::multigrid},
                                                      {"fourier", PressureMethod::fourier}};
  app.add_option("--case", options.flow.name, "taylor-green, cavity or channel")
      ->type_name("NAME")
      ->transform(numbers::enumerator(cases));
  app.add_option("--dimensions", options.dimensions, "2 or 3")->check(CLI::Range(2, 3))->capture_default_str();
  app.add_option("--cells", options.flow.cells,
                 "Cells along each dimension: one number, or one for each, x last. A channel is four times as "
                 "long as high for one number")
      ->check(CLI::Range(index_t{4}, index_t{1} << 20))
      ->capture_default_str();
  app.add_option("--reynolds", options.flow.reynolds, "The Reynolds number; 1 over the viscosity")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--time", options.time, "The time of the end")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_option("--steps", options.steps,
                 "So many time steps, instead of a time of the end. With the same --dt more of them go on from "
                 "a checkpoint")
      ->check(numbers::positive())
      ->excludes("--time");
  app.add_option("--dt", options.dt, "The largest time step; 0.6 of the largest stable one unless given")
      ->check(numbers::positive());
  app.add_option("--pressure", options.solver.pressure,
                 "multigrid, fourier (for periodic flows), or automatic: fourier where it can be used")
      ->type_name("NAME")
      ->transform(numbers::enumerator(methods));
  app.add_option("--tolerance", options.solver.tolerance,
                 "Of the divergence that the multigrid leaves, times the edge of a cell and over the speed")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_flag("--convergence", options.by_grids,
               "Simulates vortices on this grid and on three finer ones, for the order of the error");
  app.add_option("--picture", options.picture, "Draw the vorticity at the end to this PNG file");
  solvers::add_run_options(app, options.run);
  return solvers::run_program(app, argc, argv, [&](const tessera::Runtime& runtime) {
    if (options.by_grids)
      simulate_grids(runtime.world(), options);
    else if (options.dimensions == 2)
      simulate<2>(runtime.world(), options);
    else
      simulate<3>(runtime.world(), options);
  });
}
