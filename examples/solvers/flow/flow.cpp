// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <tessera/runtime/phase.hpp>

#include "kernels.hpp"

namespace flow {

using tessera::intersect;

namespace {

// Blocks with two cells at least: halves of them are cells of the multigrid.
template <std::size_t N>
tessera::Layout<N> layout_of(const Problem<N>& problem, int ranks) {
  tessera::BlockedOptions<N> options{.periodic = problem.periodic};
  for (std::size_t d = 0; d < N; ++d) options.min_block[d] = 2;
  return tessera::Layout<N>::blocked(problem.cells, ranks, options);
}

}  // namespace

template <std::size_t N>
Flow<N>::Flow(const tessera::Group& world, const Problem<N>& problem, const FlowOptions& options)
    : problem_(problem),
      options_(options),
      cells_(layout_of(problem, world.size())),
      p_(world, cells_, {.name = "pressure", .ghosts = 1, .periodic = problem.periodic}),
      f_(world, cells_, {.name = "divergence"}),
      solver_(PressureSolver<N>::make(world, cells_, problem, options.pressure)) {
  std::vector<tessera::HaloPart> parts, high_faces;
  for (std::size_t d = 0; d < N; ++d) {
    const auto layout = tessera::Layout<N>::like(cells_, problem_.faces(d));
    const std::string name = "velocity " + std::to_string(d);
    u_[d].emplace(world, layout,
                  tessera::ArrayOptions<N>{.name = name, .ghosts = 1, .periodic = problem.periodic});
    q_[d].emplace(world, layout, tessera::ArrayOptions<N>{.name = "sum of stages"});
    fill(*q_[d], 0.0);
    const tessera::Patch<N> free = problem_.free_faces(d);
    for_each_local(*u_[d], [&](const tessera::Index<N>& at, double& value) {
      const std::size_t side = at[d] == 0 ? 0 : 1;
      value =
          free.contains(at) ? problem_.initial(d, problem_.face(d, at)) : problem_.ends[d][side].velocity[d];
    });
    u_[d]->sync();
    parts.push_back(halo_of(*u_[d], problem_.boundaries(d)));
    tessera::HaloOptions<N> faces{.corners = tessera::Corners::without, .low = 0, .high = 0};
    (*faces.high)[d] = 1;
    high_faces.push_back(halo_of(*u_[d], faces));
  }
  velocity_halo_.emplace(parts, "velocity");
  faces_halo_.emplace(high_faces, "high faces");
  pressure_halo_.emplace(
      std::vector{halo_of(p_, problem_.pressure_domain().boundaries(), {.corners = tessera::Corners::without})},
      "pressure");
  fill(p_, 0.0);
  update_ghosts();
  project(1);  // the start may have a divergence
  fill(p_, 0.0);
  times_ = {};
}

template <std::size_t N>
void Flow<N>::step(double dt) {
  constexpr double keep[] = {0, -5.0 / 9, -153.0 / 128}, factor[] = {1.0 / 3, 15.0 / 16, 8.0 / 15},
                   part[] = {1.0 / 3, 5.0 / 12, 1.0 / 4};
  for (int stage = 0; stage < 3; ++stage) {
    advance(keep[stage], dt, factor[stage]);
    project(part[stage] * dt);
  }
}

// q = keep q + dt F(u), u += factor q. Ghost cells of u are up to date.
template <std::size_t N>
void Flow<N>::advance(double keep, double dt, double factor) {
  const solvers::Timed timed(times_.momentum);
  const tessera::Phase phase(p_.group(), "momentum");
  const MomentumStep<N> step{problem_.spacing, problem_.viscosity, keep, dt};
  const auto free = [&](std::size_t d) { return intersect(u_[d]->local_patch(), problem_.free_faces(d)); };
  {
    const auto all = access();
    const auto u = global_of<N>(all);
    const auto along = [&]<std::size_t d>(std::integral_constant<std::size_t, d>) {
      const auto q = q_[d]->local();
      advance_momentum<d, N>(step, u, q.global(), free(d));
    };
    along(std::integral_constant<std::size_t, 0>{});
    along(std::integral_constant<std::size_t, 1>{});
    if constexpr (N == 3) along(std::integral_constant<std::size_t, 2>{});
  }
  for (std::size_t d = 0; d < N; ++d) {
    const auto from = std::as_const(*q_[d]).local();
    const auto to = u_[d]->local();
    add_multiple<N>(factor, from.global(), to.global(), free(d));
  }
}

// Makes u free of divergence: u -= dt grad p, and updates its ghost cells.
template <std::size_t N>
void Flow<N>::project(double dt) {
  {
    const solvers::Timed timed(times_.ghosts);
    faces_halo_->update();
  }
  {
    const solvers::Timed timed(times_.pressure);
    {
      const auto all = access();
      const auto u = global_of<N>(all);
      const auto f_access = f_.local();
      const auto f = f_access.global();
      for_each_point(f.patch(), [&](auto... at) {
        const tessera::Index<N> cell(std::array{at...});
        f[cell] = -divergence<N>(u, problem_.spacing, cell) / dt;
      });
    }
    const tessera::Phase phase(p_.group(), "pressure");
    solver_->solve(f_, p_, options_.tolerance * problem_.speed / (edge() * dt));
  }
  {
    const solvers::Timed timed(times_.ghosts);
    pressure_halo_->update();
  }
  {
    const solvers::Timed timed(times_.pressure);
    const auto p = std::as_const(p_).local_with_ghosts();
    for (std::size_t d = 0; d < N; ++d) {
      const auto u = u_[d]->local();
      subtract_gradient<N>(dt / problem_.spacing[d], d, p.global(), u.global(),
                           intersect(u_[d]->local_patch(), problem_.free_faces(d)));
    }
  }
  update_ghosts();
}

template <std::size_t N>
void Flow<N>::update_ghosts() {
  const solvers::Timed timed(times_.ghosts);
  velocity_halo_->update();
}

template <std::size_t N>
std::array<tessera::LocalAccess<const double, N>, N> Flow<N>::access() const {
  return [&]<std::size_t... d>(std::index_sequence<d...>) {
    return std::array{std::as_const(*u_[d]).local_with_ghosts()...};
  }
  (std::make_index_sequence<N>{});
}

template <std::size_t N>
double Flow<N>::edge() const {
  return *std::min_element(problem_.spacing.begin(), problem_.spacing.end());
}

template <std::size_t N>
double Flow<N>::stable_step() const {
  std::array<double, N> speeds;
  for (std::size_t d = 0; d < N; ++d) speeds[d] = norm_inf(*u_[d]);
  return flow::stable_step(problem_, speeds);
}

template <std::size_t N>
double Flow<N>::largest_divergence() {
  double largest = 0;
  const auto all = access();
  const auto u = global_of<N>(all);
  for_each_point(p_.local_patch(), [&](auto... at) {
    largest =
        std::max(largest, std::abs(divergence<N>(u, problem_.spacing, tessera::Index<N>(std::array{at...}))));
  });
  return p_.group().all_reduce(largest, tessera::Reduce::max) * edge() / problem_.speed;
}

template <std::size_t N>
Energy Flow<N>::energy() {
  // Exact sums of a value of each cell do not depend on the number of ranks. The right side is free meanwhile.
  const auto mean = [&](const auto& of) {
    {
      const auto all = access();
      const auto u = global_of<N>(all);
      const auto f_access = f_.local();
      const auto f = f_access.global();
      for_each_point(f.patch(), [&](auto... at) {
        const tessera::Index<N> cell(std::array{at...});
        f[cell] = of(u, cell);
      });
    }
    return exact_sum(f_) / static_cast<double>(f_.size());
  };
  return {mean(kinetic_energy<N>), mean([&](const Velocity<N>& u, const tessera::Index<N>& cell) {
            return problem_.viscosity * squared_slopes<N>(u, problem_.spacing, cell);
          })};
}

template <std::size_t N>
Times Flow<N>::times() const {
  Times times = times_;
  times.ghosts += solver_->ghost_seconds();
  times.pressure -= solver_->ghost_seconds();
  return times;
}

template class Flow<2>;
template class Flow<3>;

}  // namespace flow
