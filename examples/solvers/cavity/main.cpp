// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The flow in a cavity whose lid moves, by the lattice Boltzmann method with two relaxation rates.
#include <cmath>

#include "flow.hpp"
#include "reference/ghia.hpp"
#include "run/run.hpp"

namespace {

using namespace cavity;
using reference::Deviation, reference::Profile;
using solvers::SolverError;

struct Options {
  solvers::RunOptions run;
  index_t size = 129, depth = 0, steps = 20000;
  int dimensions = 2;
  double reynolds = 100, lid = 0.1, until_steady = 0;
  std::string span = "walls", picture;

  double viscosity() const { return lid * static_cast<double>(size) / reynolds; }
  bool is_span_periodic() const { return dimensions == 3 && span == "periodic"; }
};

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
  if (!options.picture.empty() && !tessera::io::has_pictures())
    throw SolverError("--picture needs a Tessera that was built with libpng");
}

// A component of the velocity along the line through the centre in dimension d, in speeds of the lid.
template <std::size_t N>
Profile centre_line(const tessera::Array<double, N>& velocity, std::size_t d, const Options& options,
                    double last_wall) {
  auto line = tessera::Patch<N>::whole(velocity.dims());
  for (std::size_t e = 0; e < N; ++e) {
    const index_t n = line.hi[e];
    if (e != d) line.lo[e] = (n - 1) / 2, line.hi[e] = n / 2 + 1;  // one cell or two
  }
  const auto cells = velocity.get(line);
  Profile profile{std::vector<double>(static_cast<std::size_t>(velocity.dims()[d])), 0, last_wall};
  const double share = static_cast<double>(velocity.dims()[d]) / static_cast<double>(line.size()) / options.lid;
  tessera::for_each_point(tessera::Patch<N>::whole(cells.extents()), [&](auto... at) {
    const tessera::Index<N> place(at...);
    profile.values[static_cast<std::size_t>(place[d])] += share * cells[place];
  });
  return profile;
}

void print_line(const char* name, const Profile& profile, const std::optional<Deviation>& deviation) {
  fmt::print("{}: least {:.5f}, greatest {:.5f}", name, profile.least(), profile.greatest());
  if (deviation)
    fmt::print("; largest deviation from Ghia, Ghia and Shin {:.5f} at {:.4f}", deviation->difference,
               deviation->position);
  fmt::print("\n");
}

// The largest difference between the velocities at both halves of the span.
template <class Lattice>
double asymmetry(const typename Flow<Lattice>::Field& velocity, double sign) {
  const auto patch = velocity.local_patch();
  double largest = 0;
  if (!patch.empty()) {
    auto mirrored = patch;
    mirrored.lo[0] = velocity.dims()[0] - patch.hi[0];
    mirrored.hi[0] = velocity.dims()[0] - patch.lo[0];
    const auto there = velocity.get(mirrored);
    const auto here = velocity.local();
    tessera::for_each_point(tessera::Patch<3>::whole(here.extents()), [&](index_t k, index_t j, index_t i) {
      largest = std::max(largest, std::abs(here(k, j, i) - sign * there(here.extent(0) - 1 - k, j, i)));
    });
  }
  return velocity.group().all_reduce(largest, tessera::Reduce::max);
}

template <class Lattice>
void write_picture(const typename Flow<Lattice>::Field& u, const typename Flow<Lattice>::Field& v,
                   const Options& options) {
  auto speed = u.duplicate("speed");
  tessera::transform(u, v, speed, [&](double a, double b) { return std::hypot(a, b) / options.lid; });
  const tessera::io::PictureOptions how{.range = {{0, 1}},
                                        .first_row = tessera::io::FirstRow::bottom,
                                        .title = fmt::format("speed in the plane, Re {}", options.reynolds)};
  if constexpr (Lattice::dimensions == 2)
    tessera::io::write_picture(speed, options.picture, how);
  else
    tessera::io::write_picture(speed.slice().fix(0, speed.dims()[0] / 2), options.picture, how);
}

template <class Lattice>
void report(const Flow<Lattice>& flow, const Options& options) {
  constexpr std::size_t x = Lattice::dimensions - 1, y = x - 1;
  const bool speaks = flow.world().rank() == 0;
  auto u = flow.make_field("u"), v = flow.make_field("v");
  flow.get_velocity(x, u);
  flow.get_velocity(y, v);
  const Profile along_y = centre_line(u, y, options, 1), along_x = centre_line(v, x, options, 0);
  const bool is_plane = Lattice::dimensions == 2 || options.is_span_periodic();
  const double reynolds = is_plane ? options.reynolds : 0;  // 0: there are no tables
  if (speaks) {
    print_line("u along the vertical centre line", along_y,
               largest_deviation(along_y, reynolds, reference::ghia_y, reference::ghia_u));
    print_line("v along the horizontal centre line", along_x,
               largest_deviation(along_x, reynolds, reference::ghia_x, reference::ghia_v));
    for (const reference::Extremes& known : reference::botella_extremes) {
      if (known.reynolds == reynolds)
        fmt::print("Botella and Peyret: u at least {:.5f}; v from {:.5f} to {:.5f}\n", known.least_u,
                   known.least_v, known.greatest_v);
    }
  }
  if constexpr (Lattice::dimensions == 3) {
    auto w = flow.make_field("w");
    flow.get_velocity(0, w);
    const double largest =
        std::max({asymmetry<Lattice>(u, 1), asymmetry<Lattice>(v, 1), asymmetry<Lattice>(w, -1)});
    if (speaks) fmt::print("Largest asymmetry of the span: {:.1e}\n", largest / options.lid);
  }
  const double excess = flow.excess_mass();
  if (speaks) {
    const auto cells = static_cast<double>(u.size());
    fmt::print("Mass {:.15g}; drift {:.1e} of it\n", cells + excess, excess / cells);
  }
  if (!options.picture.empty()) write_picture<Lattice>(u, v, options);
}

void report_speed(const tessera::Group& world, const solvers::Times& times, double seconds, double updates) {
  const double computing = world.all_reduce(times.computing, tessera::Reduce::max);
  const double ghost_cells = world.all_reduce(times.ghost_cells, tessera::Reduce::max);
  if (world.rank() == 0)
    fmt::print("Time {:.3f} s: computing at most {:.3f} s, ghost cells at most {:.3f} s; {:.2f} MLUPS\n",
               seconds, computing, ghost_cells, seconds > 0 ? updates / seconds * 1e-6 : 0);
}

template <class Lattice>
void solve(const Options& options, const FlowOptions<Lattice>& flow_options, const tessera::Group& world) {
  Flow<Lattice> flow(world, flow_options);
  solvers::Run run(world, options.run, options.steps);
  run.add("populations", flow.populations());
  const index_t first = run.start();
  flow.restored();
  const double turnover = static_cast<double>(options.size) / options.lid;  // steps
  double change = 0, earlier = 0;  // per turnover, in speeds of the lid
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
    fmt::print("Velocities change by {:.1e} of the lid's speed per turnover\n", change);
  }
  report(flow, options);
  report_speed(world, flow.times(), seconds,
               static_cast<double>(steps - first) * static_cast<double>(flow_options.grid.size()));
  if (options.until_steady > 0 && steps > first && !(change < options.until_steady)) {
    throw SolverError(
        fmt::format("not steady after {} steps: velocities change by {:.1e} per turnover, by {:.1e} after half "
                    "of the steps; take more --steps",
                    steps, change, earlier));
  }
}

void solve(const Options& options, const tessera::Runtime& runtime) {
  require_useful(options);
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
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--lid", options.lid, "Speed of the lid, in cells per step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", options.steps, "Time steps, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--until-steady", options.until_steady,
                 "End when no velocity changes by more than this share of the lid's speed per turnover, which "
                 "is the time in which the lid moves by a side")
      ->check(CLI::PositiveNumber);
  app.add_option("--picture", options.picture, "Write the speed to a PNG file");
  solvers::add_run_options(app, options.run);
  return solvers::run_program(app, argc, argv,
                              [&](const tessera::Runtime& runtime) { solve(options, runtime); });
}
