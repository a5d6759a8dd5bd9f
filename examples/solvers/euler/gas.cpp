// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "gas.hpp"

#include <cmath>

#include "run/run.hpp"

namespace euler {
namespace {

using tessera::Index;
using tessera::Side;

using Conditions = tessera::Boundaries<double, 2>;
using Condition = tessera::Boundary<double, 2>;

// Walls turn round the momentum along their normal, and nothing else.
Conditions conditions_of(const Case& which, double State::*member) {
  Conditions conditions;
  const auto set = [&](int dimension, Ends ends, double State::*normal) {
    if (ends == Ends::open) conditions.set(dimension, Side::both, Condition::gradient(0));
    if (ends == Ends::walls)
      conditions.set(dimension, Side::both, member == normal ? Condition::odd() : Condition::even());
  };
  set(0, which.y, &State::momentum_y);
  set(1, which.x, &State::momentum_x);
  return conditions;
}

}  // namespace

Gas::Gas(const tessera::Group& world, const Case& which, index_t columns)
    : case_(which),
      size_(which.width / static_cast<double>(columns)),
      layout_(tessera::Layout<2>::blocked({which.rows > 0 ? which.rows : columns, columns}, world.size(),
                                          {.min_block = {reach, reach}})),
      now_(make_generation(world, "states")),
      next_(make_generation(world, "next states")) {
  parts_ = tessera::split_block(now_.states.local_patch(), reach, reach);
  for_each_local(now_.states, [&](const Index<2>& at, State& state) { state = conserved_of(solution(at, 0)); });
  now_.states.sync();
}

Gas::Generation Gas::make_generation(const tessera::Group& world, const char* name) const {
  const tessera::PerDimension<bool, 2> periodic{case_.y == Ends::periodic, case_.x == Ends::periodic};
  tessera::Array<State, 2> states(world, layout_, {.name = name, .ghosts = reach, .periodic = periodic});
  std::vector<tessera::HaloPart> parts;
  for (const Member& member : members) {
    parts.push_back(tessera::halo_of(states.slice().member(member.which), conditions_of(case_, member.which),
                                     {.corners = tessera::Corners::without}));
  }
  return {std::move(states), tessera::Halo(parts, name)};
}

Primitive Gas::solution(const Index<2>& cell, double time) const {
  return case_.solution((static_cast<double>(cell[1]) + 0.5) * size_,
                        (static_cast<double>(cell[0]) + 0.5) * size_, time);
}

double Gas::time_step(double courant, index_t step) {
  solvers::Watch watch;
  double rate = 0;
  {
    const auto access = std::as_const(now_.states).local();
    rate = crossing_rate(access.global(), now_.states.local_patch(), size_, size_);
  }
  watch.add_to(times_.computing);
  rate = world().all_reduce(rate, tessera::Reduce::max);
  if (!std::isfinite(rate)) refuse_state(step);
  return courant / rate;
}

void Gas::refuse_state(index_t step) {
  const auto look_at = [&](const auto& field, const char* name) {
    const auto least = min_element(field);
    if (least.value > 0 && std::isfinite(least.value)) return;
    throw solvers::SolverError(fmt::format(
        "{} is {} in row {}, column {} after step {}: it must be positive; take a lower Courant number (--cfl)",
        name, least.value, least.at[0], least.at[1], step));
  };
  look_at(now_.states.slice().member(&State::density), "density");
  look_at(pressure(), "pressure");
  throw solvers::SolverError(fmt::format("a wave is infinitely fast after step {}", step));
}

void Gas::step(double dt) {
  advance(now_, next_, {.dt = dt, .dx = size_, .dy = size_, .share = 0});
  advance(next_, now_, {.dt = dt, .dx = size_, .dy = size_, .share = 0.5});
}

void Gas::advance(Generation& from, Generation& to, const Stage& stage) {
  solvers::Watch watch;
  auto update = from.halo.update_async();
  watch.add_to(times_.ghost_cells);
  const auto from_access = std::as_const(from.states).local_with_ghosts();
  const auto to_access = to.states.local_with_ghosts();
  const auto source = from_access.global();
  const auto target = to_access.global();
  // Where the share is 0, there is no earlier state, but its elements must be numbers.
  const tessera::OffsetView<const State, 2> earlier = stage.share > 0 ? target : source;
  sweep(source, earlier, target, parts_.interior, stage);
  watch.add_to(times_.computing);
  update.wait();
  watch.add_to(times_.ghost_cells);
  for (const auto& slab : parts_.boundary) sweep(source, earlier, target, slab, stage);
  watch.add_to(times_.computing);
}

Totals Gas::totals() {
  Totals totals;
  for (std::size_t k = 0; k < members.size(); ++k)
    totals[k] = size_ * size_ * exact_sum(now_.states.slice().member(members[k].which));
  return totals;
}

double Gas::error(double time) {
  tessera::Array<double, 2> difference(world(), layout_, {.name = "difference"});
  copy(now_.states.slice().member(&State::density), difference);
  for_each_local(difference, [&](const Index<2>& at, double& value) { value -= solution(at, time).density; });
  difference.sync();
  return norm1(difference) / static_cast<double>(difference.size());
}

tessera::Array<double, 2> Gas::pressure() const {
  tessera::Array<double, 2> pressure(world(), layout_, {.name = "pressure"});
  tessera::transform(now_.states, pressure, pressure_of);
  return pressure;
}

double Gas::asymmetry() {
  now_.states.sync();
  const auto density = now_.states.slice().member(&State::density);
  tessera::Patch<2> mirrored = now_.states.local_patch();
  double largest = 0;
  if (!mirrored.empty()) {
    const index_t columns = now_.states.dims()[1];
    std::swap(mirrored.lo[1], mirrored.hi[1]);
    mirrored.lo[1] = columns - mirrored.lo[1], mirrored.hi[1] = columns - mirrored.hi[1];
    const auto there = density.get(mirrored);
    const auto here = now_.states.local();
    tessera::for_each_point(tessera::Patch<2>::whole(here.extents()), [&](index_t j, index_t i) {
      largest = std::max(largest, std::abs(here(j, i).density - there(j, here.extent(1) - 1 - i)));
    });
  }
  return world().all_reduce(largest, tessera::Reduce::max);
}

}  // namespace euler
