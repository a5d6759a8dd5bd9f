// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "simulate.hpp"

#include <cmath>

#include <tessera/io/picture.hpp>

#include "kernels.hpp"

namespace flow {

namespace {

// The integral of the dissipation, for the balance of energy. It belongs to the state.
struct Balance {
  double start = 0, last = 0, lost = 0;

  void begin(const Energy& energy) { start = energy.kinetic, last = energy.dissipation; }
  void add(const Energy& energy, double dt) {
    lost += 0.5 * dt * (last + energy.dissipation);
    last = energy.dissipation;
  }
};

// The time step, and how many there are.
struct Steps {
  double dt;
  index_t count;
};

template <std::size_t N>
Steps choose_steps(const Problem<N>& problem, const ProgramOptions& options) {
  std::array<double, N> speeds;
  speeds.fill(problem.speed);
  const double limit = stable_step(problem, speeds);
  if (options.dt > limit) {
    throw solvers::SolverError(
        fmt::format("the time step {} is not stable; the largest stable one is {:.3g}", options.dt, limit));
  }
  const double wanted = options.dt > 0 ? options.dt : 0.6 * limit;
  if (options.steps > 0) return {wanted, options.steps};
  const double needed = std::ceil(options.time / wanted * (1 - 1e-12));
  if (!(needed < 1e15)) {
    throw solvers::SolverError(fmt::format("a time of {} takes {:.2g} steps of {:.2g}; give a shorter time",
                                           options.time, needed, wanted));
  }
  const auto count = static_cast<index_t>(needed);
  return {options.time / static_cast<double>(count), count};
}

template <std::size_t N>
void require_sound(Flow<N>& flow, double dt, index_t step) {
  for (std::size_t d = 0; d < N; ++d)
    solvers::require_finite(flow.velocity(d), "velocity " + std::to_string(d), step);
  const double limit = flow.stable_step();
  if (dt > limit) {
    throw solvers::SolverError(fmt::format(
        "after step {} the flow is faster than at its start: the time step {:.3g} is not stable; the largest "
        "stable one is {:.3g} now",
        step, dt, limit));
  }
}

// The vorticity in the plane of the last two dimensions, at the low corners of the cells in the middle.
template <std::size_t N>
void draw(Flow<N>& flow, const std::string& file) {
  tessera::Array<double, N> vorticity(flow.pressure().group(), flow.pressure().layout(), {.name = "vorticity"});
  flow.update_ghosts();
  {
    const auto all = flow.access();
    const auto u = global_of<N>(all);
    const auto access = vorticity.local();
    const auto to = access.global();
    for_each_point(to.patch(), [&](auto... i) {
      const tessera::Index<N> at(std::array{i...});
      tessera::Index<N> below = at, left = at;
      --below[N - 2], --left[N - 1];
      to[at] = (u[N - 2][at] - u[N - 2][left]) / flow.problem().spacing[N - 1] -
               (u[N - 1][at] - u[N - 1][below]) / flow.problem().spacing[N - 2];
    });
  }
  const tessera::io::PictureOptions options{.map = tessera::io::ColourMap::cool_warm,
                                            .first_row = tessera::io::FirstRow::bottom,
                                            .title = "vorticity"};
  if constexpr (N == 2)
    tessera::io::write_picture(vorticity, file, options);
  else
    tessera::io::write_picture(vorticity.slice().fix(0, flow.problem().cells[0] / 8), file, options);
}

template <std::size_t N>
std::optional<double> compare(Flow<N>& flow, const ProgramOptions& options, const Balance& balance, double time,
                              bool speaks) {
  std::optional<double> error;
  if (options.flow.name == CaseName::taylor_green) {
    const Energy end = flow.energy();
    if (speaks) {
      fmt::print("energy {:.10f} to {:.10f}, dissipated {:.10f}; the balance closes to {:.2e} of the loss\n",
                 balance.start, end.kinetic, balance.lost,
                 (end.kinetic - balance.start + balance.lost) / (balance.start - end.kinetic));
    }
    if constexpr (N == 2) {
      error = taylor_green_error(flow, time);
      if (speaks) fmt::print("largest error of the velocity {:.3e}\n", *error);
    }
  }
  if (options.flow.name == CaseName::channel) {
    const double deviation = channel_deviation(flow);
    if (speaks) fmt::print("largest deviation from the parabola at the end {:.3e}\n", deviation);
  }
  if constexpr (N == 2) {
    if (options.flow.name == CaseName::cavity) {
      const std::string text = cavity_deviations(flow, options.flow.reynolds);
      if (speaks && !text.empty()) fmt::print("{}\n", text);
    }
  }
  return error;
}

}  // namespace

template <std::size_t N>
std::optional<double> simulate(const tessera::Group& world, const ProgramOptions& options) {
  const bool speaks = world.rank() == 0;
  const Problem<N> problem = make_problem<N>(options.flow);
  const Steps steps = choose_steps(problem, options);
  solvers::require_picture(world, options.picture);
  Flow<N> flow(world, problem, options.solver);

  solvers::Run run(world, options.run, steps.count);
  Balance balance;
  balance.begin(flow.energy());
  for (std::size_t d = 0; d < N; ++d) run.add("velocity" + std::to_string(d), flow.velocity(d));
  run.add("pressure", flow.pressure());
  run.add("energy_at_start", balance.start);
  run.add("dissipation", balance.last);
  run.add("dissipated", balance.lost);
  run.add_parameter("case", name_of(options.flow.name));
  run.add_parameter("Reynolds number", options.flow.reynolds);
  run.add_parameter("time step", steps.dt);
  const index_t first = run.start();
  flow.update_ghosts();
  while (run.next()) {
    flow.step(steps.dt);
    if (problem.is_periodic()) balance.add(flow.energy(), steps.dt);
    if (run.step() % 20 == 19) require_sound(flow, steps.dt, run.step() + 1);
  }
  if (run.step() % 20 != 0) require_sound(flow, steps.dt, run.step());
  if (!run.finish()) return std::nullopt;

  const Times times = flow.times();
  const double seconds = run.seconds(), divergence = flow.largest_divergence();
  if (speaks) {
    std::string text;
    for (std::size_t d = 0; d < N; ++d) text += (d > 0 ? " x " : "") + std::to_string(problem.cells[d]);
    fmt::print("{} cells, {} steps of {:.4g}\n", text, run.step(), steps.dt);
    fmt::print("largest divergence {:.2e} of speed per cell\n", divergence);
  }
  const auto error = compare(flow, options, balance, steps.dt * static_cast<double>(run.step()), speaks);
  if (speaks) {
    fmt::print("pressure by {}\n", flow.pressure_description());
    fmt::print(
        "{:.3f} s: momentum {:.3f}, pressure {:.3f}, ghost cells {:.3f}; {:.3f} million cells x steps/s\n",
        seconds, times.momentum, times.pressure, times.ghosts,
        static_cast<double>(problem.cells.size() * (run.step() - first)) / seconds / 1e6);
  }
  if (!options.picture.empty()) draw(flow, options.picture);
  return error.value_or(0);
}

template std::optional<double> simulate<2>(const tessera::Group&, const ProgramOptions&);
template std::optional<double> simulate<3>(const tessera::Group&, const ProgramOptions&);

}  // namespace flow
