// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// What solvers on structured grids need, in small parts; docs/flow.md explains them.
#include <cmath>
#include <cstdio>

#include <tessera/grid_transfer.hpp>
#include <tessera/halo.hpp>
#include <tessera/reductions.hpp>
#include <tessera/stencil.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;

void report(const Group& world, const char* part, bool right) {
  right = world.all_reduce(right ? 1 : 0, Reduce::min) == 1;
  if (world.rank() == 0) std::printf("%-10s %s\n", part, right ? "right" : "WRONG");
}

// Waves in a closed basin: heights in cells, velocities on the faces between them.
void waves(const Group& world) {
  // [grids]
  const index_t n = 48;
  const auto cells = Layout<2>::blocked({n, n}, world.size(), {.min_block = {2, 2}});
  Array<double, 2> h(world, cells, {.name = "height", .ghosts = 1});
  Array<double, 2> u(world, Layout<2>::like(cells, {n, n + 1}), {.name = "u", .ghosts = 1});  // faces along x
  Array<double, 2> v(world, Layout<2>::like(cells, {n + 1, n}), {.name = "v", .ghosts = 1});  // faces along y
  // [grids]
  fill(u, 0.0);
  fill(v, 0.0);
  {
    const auto access = h.local();
    const auto height = access.global();
    for_each_point(h.local_patch(), [&](index_t j, index_t i) {
      const auto x = static_cast<double>(i - 12), y = static_cast<double>(j - 20);
      height(j, i) = 1 + std::exp(-(x * x + y * y) / 16);
    });
  }
  h.sync();
  const double before = reduce(h, Reduce::sum);
  // [halos]
  Halo heights({halo_of(h, {.corners = Corners::without, .low = 1, .high = 0})});
  Halo velocities({halo_of(u, {.corners = Corners::without, .low = 0, .high = 1}),
                   halo_of(v, {.corners = Corners::without, .low = 0, .high = 1})});
  // [halos]
  // [step]
  const double c = 0.4;  // gravity, depth and the ratio of the steps in time and space
  for (int step = 0; step < 60; ++step) {
    heights.update();
    {
      const auto h_access = h.local_with_ghosts(), u_access = u.local(), v_access = v.local();
      const auto height = h_access.global(), east = u_access.global(), north = v_access.global();
      // Faces on the walls keep the velocity 0.
      for_each_point(intersect(u.local_patch(), {{0, 1}, {n, n}}),
                     [&](index_t j, index_t i) { east(j, i) -= c * (height(j, i) - height(j, i - 1)); });
      for_each_point(intersect(v.local_patch(), {{1, 0}, {n, n}}),
                     [&](index_t j, index_t i) { north(j, i) -= c * (height(j, i) - height(j - 1, i)); });
    }
    auto update = velocities.update_async();
    const auto h_access = h.local(), u_access = u.local_with_ghosts(), v_access = v.local_with_ghosts();
    const auto height = h_access.global(), east = u_access.global(), north = v_access.global();
    const auto advance = [&](index_t j, index_t i) {
      height(j, i) -= c * (east(j, i + 1) - east(j, i) + north(j + 1, i) - north(j, i));
    };
    for_each_interior(h, advance);  // needs no ghost cells
    update.wait();
    for_each_boundary(h, advance);
  }
  // [step]
  h.sync();
  report(world, "waves", std::abs(reduce(h, Reduce::sum) - before) < 1e-9 && norm_inf(h) < 2);
}

// [state]
struct State {
  double density, momentum, energy, pressure;
};
// [state]

// Members of structures as operands, and boundary conditions of each.
void states(const Group& world) {
  // [members]
  Array<State, 1> states(world, {1000}, {.name = "states", .ghosts = 2});
  auto density = states.slice().member(&State::density);
  auto momentum = states.slice().member(&State::momentum);
  fill(density, 1.0);
  fill(momentum, 0.5);
  const double mass = reduce(density, Reduce::sum);
  // [members]
  // [boundaries]
  Boundaries<double, 1> mirrored, wall;
  mirrored.set(0, Side::both, Boundary<double, 1>::even());          // the same beyond the wall
  wall.set(0, Side::both, Boundary<double, 1>::odd());               // the opposite: 0 at the wall
  Halo halo({halo_of(density, mirrored), halo_of(momentum, wall)});  // one message for each neighbour
  halo.update();
  // [boundaries]
  const auto access = std::as_const(states).local_with_ghosts();
  const auto cell = access.global();
  bool right = mass == 1000;
  for_each_point(cell.patch(), [&](index_t i) {
    right = right && cell(i).density == 1 && cell(i).momentum == (i < 0 || i >= 1000 ? -0.5 : 0.5);
  });
  report(world, "states", right);
}

// A coarser grid on fewer ranks, and back.
void multigrid(const Group& world) {
  // [levels]
  const auto fine_layout = Layout<2>::blocked({64, 64}, world.size(), {.min_block = {2, 2}});
  const auto coarse_layout = fine_layout.coarsened(2).agglomerated(2);  // blocks in fours at one rank
  Array<double, 2> fine(world, fine_layout, {.name = "fine", .ghosts = 1});
  Array<double, 2> coarse(world, coarse_layout, {.name = "coarse", .ghosts = 1});
  GridTransfer<double, 2> transfer(world, fine_layout, coarse_layout, LevelStencil::cell_mean(),
                                   LevelStencil::cell_linear());
  // [levels]
  for_each_local(fine,
                 [](const Index<2>& at, double& value) { value = static_cast<double>(at[0] + 2 * at[1]); });
  fine.sync();
  // [transfer]
  Boundaries<double, 2> flat;
  flat.set(Boundary<double, 2>::gradient(0));
  fine.update_ghosts();
  flat.apply(fine);
  transfer.restrict_to(fine, coarse);
  coarse.update_ghosts();
  flat.apply(coarse);
  transfer.prolong(coarse, fine, Update::replace, flat);
  // [transfer]
  fine.sync();
  // A linear function comes back as it was, but beside the ends.
  bool right = true;
  for_each_local(fine, [&](const Index<2>& at, const double& value) {
    const bool inside = at[0] > 0 && at[0] < 63 && at[1] > 0 && at[1] < 63;
    right = right && (!inside || value == static_cast<double>(at[0] + 2 * at[1]));
  });
  report(world, "multigrid", right);
}

// Elements between nodes add to both of them, also to a node that another rank owns.
void assembly(const Group& world) {
  // [reverse]
  const index_t nodes = 100;
  Array<double, 1> load(world, {nodes}, {.name = "load", .ghosts = 1});
  Halo halo(load);
  {
    const auto access = load.local_with_ghosts();
    const auto at = access.global();
    for_each_point(at.patch(), [&](index_t i) { at(i) = 0; });
    // Element e is between nodes e and e + 1; the owner of node e computes it.
    for_each_point(intersect(load.local_patch(), {{0}, {nodes - 1}}), [&](index_t e) {
      at(e) += 0.5;
      at(e + 1) += 0.5;
    });
  }
  halo.accumulate();  // adds ghost cells to the nodes that they are copies of
  // [reverse]
  bool right = true;
  for_each_local(load, [&](const Index<1>& at, const double& sum) {
    right = right && sum == (at[0] == 0 || at[0] == nodes - 1 ? 0.5 : 1);
  });
  report(world, "assembly", right);
}

}  // namespace

int main(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  waves(runtime.world());
  states(runtime.world());
  multigrid(runtime.world());
  assembly(runtime.world());
  return 0;
}
