// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Poisson's equation on a box by multigrid, in two or three dimensions, with a solution that is known.
#include <map>

#include "manufactured.hpp"
#include "multigrid/multigrid.hpp"
#include "numbers.hpp"
#include "run/run.hpp"

namespace {

using namespace poisson;
using tessera::index_t;

struct Options {
  std::vector<index_t> cells = {64};
  int dimensions = 3;
  Walls walls = Walls::neumann;
  double tolerance = 1e-9;
  int cycles = 50;
  bool by_cg = false, is_quiet = false;
  int grids = 1;
  solvers::MultigridOptions multigrid;
};

template <std::size_t N>
tessera::Extents<N> extents_of(const Options& options) {
  if (options.cells.size() != 1 && options.cells.size() != N)
    throw solvers::SolverError(fmt::format("--cells takes 1 or {} numbers", N));
  tessera::Extents<N> extents;
  for (std::size_t d = 0; d < N; ++d) extents[d] = options.cells[options.cells.size() == 1 ? 0 : d];
  return extents;
}

// Solves on one grid, and reports. Returns the largest error.
template <std::size_t N>
double solve(const tessera::Group& world, const Options& options, const tessera::Extents<N>& cells) {
  const bool speaks = world.rank() == 0, tells = speaks && !options.is_quiet;
  const Manufactured<N> problem(options.walls);
  const solvers::Domain<N> domain = problem.domain(cells);
  tessera::Extents<N> least;
  for (std::size_t d = 0; d < N; ++d) least[d] = 2;
  const auto layout =
      tessera::Layout<N>::blocked(cells, world.size(), {.min_block = least, .periodic = domain.periodic});
  solvers::Multigrid<N> multigrid(world, layout, domain, options.multigrid);
  tessera::Array<double, N> f(world, layout, {.name = "right side"}), x(world, layout, {.name = "solution"});
  fill(x, 0.0);
  const auto place = [&](const tessera::Index<N>& at) {
    std::array<double, N> point;
    for (std::size_t d = 0; d < N; ++d) point[d] = (static_cast<double>(at[d]) + 0.5) * domain.spacing[d];
    return point;
  };
  for_each_local(f, [&](const tessera::Index<N>& at, double& value) { value = problem.right_side(place(at)); });
  f.sync();

  double seconds = 0;
  int cycles = 0;
  if (options.by_cg) {
    const solvers::Timed timed(seconds);
    // The sum of the right side has to be 0 for conditions that leave a constant open.
    if (domain.is_singular()) add_constant(f, -exact_sum(f) / static_cast<double>(f.size()));
    tessera::KrylovOptions krylov{.tolerance = options.tolerance, .max_iterations = options.cycles};
    krylov.progress = [&](index_t number, double residual) {
      if (tells) fmt::print("  {:3} {:9.2e}\n", number, residual);
    };
    const auto result = cg([&](const auto& p, auto& q) { multigrid.apply(p, q); }, f, x, krylov, multigrid);
    if (!result.converged()) {
      throw solvers::SolverError(
          fmt::format("cg did not converge: after {} iterations the residual is {:.2e}; {}", result.iterations,
                      result.residual, to_string(result.stop)));
    }
    cycles = static_cast<int>(result.iterations);
  } else {
    const solvers::Timed timed(seconds);
    const auto result = multigrid.solve(f, x, {.relative = options.tolerance, .most_cycles = options.cycles});
    for (std::size_t k = 0; k < result.residuals.size() && tells; ++k)
      fmt::print("  {:3} {:9.2e}\n", k, result.residuals[k]);
    if (!result.converged())
      throw solvers::SolverError("the multigrid did not converge: " + result.description());
    if (speaks) fmt::print("convergence factor {:.3f}\n", result.factor());
    cycles = result.cycles();
  }
  for_each_local(x, [&](const tessera::Index<N>& at, double& value) { value -= problem.solution(place(at)); });
  x.sync();
  const double error = norm_inf(x);
  if (speaks) {
    fmt::print("{} levels, {} {}, {:.3f} s, {:.2f} million cells x cycles/s\n", multigrid.levels(), cycles,
               options.by_cg ? "iterations" : "cycles", seconds,
               static_cast<double>(f.size()) * cycles / seconds / 1e6);
    const double coarse = multigrid.levels() > 1 ? multigrid.seconds(1) : 0;
    fmt::print("coarse levels {:.0f} % of the time, ghost cells {:.0f} %\n", 100 * coarse / seconds,
               100 * multigrid.ghost_seconds() / seconds);
    fmt::print("largest error {:.3e}\n", error);
  }
  return error;
}

template <std::size_t N>
void solve_all(const tessera::Group& world, const Options& options) {
  tessera::Extents<N> cells = extents_of<N>(options);
  double before = 0;
  for (int grid = 0; grid < options.grids; ++grid) {
    if (world.rank() == 0) {
      std::string text;
      for (std::size_t d = 0; d < N; ++d) text += (d > 0 ? " x " : "") + std::to_string(cells[d]);
      fmt::print("{} cells\n", text);
    }
    const double error = solve<N>(world, options, cells);
    if (grid > 0 && world.rank() == 0) fmt::print("order of the error {:.2f}\n", std::log2(before / error));
    before = error;
    for (std::size_t d = 0; d < N; ++d) cells[d] *= 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Solves Poisson's equation on the unit box by multigrid, for a solution that is known.",
               "poisson3d");
  const std::map<std::string, Walls> walls{{"neumann", Walls::neumann},
                                           {"dirichlet", Walls::dirichlet},
                                           {"mixed", Walls::mixed},
                                           {"periodic", Walls::periodic}};
  app.add_option("--cells", options.cells, "Cells along each dimension: one number, or one for each")
      ->check(CLI::Range(index_t{2}, index_t{1} << 20))
      ->capture_default_str();
  app.add_option("--dimensions", options.dimensions, "2 or 3")->check(CLI::Range(2, 3))->capture_default_str();
  app.add_option("--walls", options.walls,
                 "neumann, dirichlet, mixed (one at the low ends, the other at the high ends) or periodic")
      ->type_name("NAME")
      ->transform(numbers::enumerator(walls));
  app.add_option("--tolerance", options.tolerance, "Of the largest residual against the largest right side")
      ->check(numbers::checked("positive number below 1", [](double x) { return x > 0 && x < 1; }))
      ->capture_default_str();
  app.add_option("--cycles", options.cycles, "The most cycles, or iterations of cg")
      ->check(numbers::positive())
      ->capture_default_str();
  app.add_flag("--cg", options.by_cg, "Conjugate gradients, with a cycle as the preconditioner");
  app.add_option("--grids", options.grids,
                 "Grids, each twice as fine as the one before; from two on the order of the error is printed")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  app.add_option("--before", options.multigrid.before, "Relaxations before the correction from coarser grids")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  app.add_option("--after", options.multigrid.after, "Relaxations after it")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  app.add_option("--omega", options.multigrid.omega, "Over-relaxation")
      ->check(numbers::checked("number from 0.1 to 1.9", [](double x) { return x >= 0.1 && x <= 1.9; }))
      ->capture_default_str();
  app.add_flag("--quiet", options.is_quiet, "No residual of each cycle");
  return solvers::run_program(app, argc, argv, [&](const tessera::Runtime& runtime) {
    options.multigrid.is_symmetric = options.by_cg;
    options.dimensions == 2 ? solve_all<2>(runtime.world(), options) : solve_all<3>(runtime.world(), options);
  });
}
