// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/ghia.hpp"
#include "run/run.hpp"

namespace flow {

namespace {

template <std::size_t N>
void make_vortices(Problem<N>& problem) {
  problem.periodic.fill(true);
  for (std::size_t d = 0; d < N; ++d)
    problem.spacing[d] = 2 * std::numbers::pi / static_cast<double>(problem.cells[d]);
  // u = sin x cos y cos z, v = -cos x sin y cos z, w = 0.
  problem.initial = [](std::size_t d, const std::array<double, N>& at) {
    std::array<double, 2> plane{at[N - 2], at[N - 1]};
    if (d + 2 < N) return 0.0;
    return taylor_green(d + 2 - N, plane, 0, 0) * (N == 3 ? std::cos(at[0]) : 1);
  };
}

template <std::size_t N>
void make_cavity(Problem<N>& problem) {
  for (std::size_t d = 0; d < N; ++d) problem.spacing[d] = 1 / static_cast<double>(problem.cells[d]);
  problem.ends[0][1].velocity[N - 1] = 1;
  problem.initial = [](std::size_t, const std::array<double, N>&) { return 0.0; };
}

template <std::size_t N>
void make_channel(Problem<N>& problem) {
  problem.spacing.fill(1 / static_cast<double>(problem.cells[0]));
  if (N == 3) problem.periodic[1] = true;
  auto& along = problem.ends[N - 1];
  along[0].kind = EndKind::inflow;
  along[0].velocity[N - 1] = 1;
  along[1].kind = EndKind::outflow;
  problem.speed = 1.5;
  problem.initial = [](std::size_t d, const std::array<double, N>&) { return d == N - 1 ? 1.0 : 0.0; };
}

}  // namespace

double taylor_green(std::size_t component, const std::array<double, 2>& at, double viscosity, double time) {
  const double decay = std::exp(-2 * viscosity * time), y = at[0], x = at[1];
  return decay * (component == 1 ? std::sin(x) * std::cos(y) : -std::cos(x) * std::sin(y));
}

template <std::size_t N>
Problem<N> make_problem(const CaseOptions& options) {
  if (options.cells.size() != 1 && options.cells.size() != N)
    throw solvers::SolverError(fmt::format("--cells takes 1 or {} numbers", N));
  Problem<N> problem;
  for (std::size_t d = 0; d < N; ++d) problem.cells[d] = options.cells[options.cells.size() == 1 ? 0 : d];
  if (options.name == CaseName::channel && options.cells.size() == 1) problem.cells[N - 1] *= 4;
  problem.viscosity = 1 / options.reynolds;
  switch (options.name) {
    case CaseName::taylor_green:
      make_vortices(problem);
      break;
    case CaseName::cavity:
      make_cavity(problem);
      break;
    case CaseName::channel:
      make_channel(problem);
  }
  return problem;
}

double taylor_green_error(Flow<2>& flow, double time) {
  double largest = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    for_each_local(std::as_const(flow.velocity(d)), [&](const tessera::Index<2>& at, const double& value) {
      const double exact = taylor_green(d, flow.problem().face(d, at), flow.problem().viscosity, time);
      largest = std::max(largest, std::abs(value - exact));
    });
  }
  return flow.pressure().group().all_reduce(largest, tessera::Reduce::max);
}

template <std::size_t N>
double channel_deviation(Flow<N>& flow) {
  double largest = 0;
  const index_t last = flow.problem().cells[N - 1];
  for_each_local(std::as_const(flow.velocity(N - 1)), [&](const tessera::Index<N>& at, const double& value) {
    if (at[N - 1] != last) return;
    const double y = flow.problem().face(N - 1, at)[0];
    largest = std::max(largest, std::abs(value - 6 * y * (1 - y)));
  });
  return flow.pressure().group().all_reduce(largest, tessera::Reduce::max);
}

std::string cavity_deviations(Flow<2>& flow, double reynolds) {
  const auto [rows, columns] = std::array{flow.problem().cells[0], flow.problem().cells[1]};
  if (rows % 2 != 0 || columns % 2 != 0) return {};
  // The centre lines are lines of faces.
  const auto line = [&](std::size_t d, const tessera::Patch<2>& patch, double first, double last) {
    const auto values = flow.velocity(d).get(patch);
    return reference::Profile{{values.data(), values.data() + values.size()}, first, last};
  };
  const auto u = line(1, {{0, columns / 2}, {rows, columns / 2 + 1}}, 0, 1);
  const auto v = line(0, {{rows / 2, 0}, {rows / 2 + 1, columns}}, 0, 0);
  const auto of_u = largest_deviation(u, reynolds, reference::ghia_y, reference::ghia_u);
  const auto of_v = largest_deviation(v, reynolds, reference::ghia_x, reference::ghia_v);
  if (!of_u || !of_v) return {};
  return fmt::format(
      "largest deviations from Ghia, Ghia and Shin: u {:.4f} at y = {:.4f}, v {:.4f} at x = {:.4f}",
      of_u->difference, of_u->position, of_v->difference, of_v->position);
}

template Problem<2> make_problem<2>(const CaseOptions&);
template Problem<3> make_problem<3>(const CaseOptions&);
template double channel_deviation<2>(Flow<2>&);
template double channel_deviation<3>(Flow<3>&);

}  // namespace flow
