// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// How much of a halo exchange the computation of the interior hides, as a solver writes it.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/halo.hpp>
#include <tessera/stencil.hpp>

#include "compute.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "hiding: the exchange of five fields behind the interior";
constexpr int fields = 5;

// Steps of a five-point stencil on five fields.
class Solver {
 public:
  Solver(const Group& world, index_t edge) : world_(world) {
    const index_t ranks = world.size();
    for (int f = 0; f < fields; ++f) {
      from_.emplace_back(world, Layout<2>::blocked({ranks * edge, edge}, world.size(), {.grid = {{ranks, 1}}}),
                         ArrayOptions<2>{.name = "field", .ghosts = 1, .periodic = {true, true}});
      to_.push_back(from_.back().duplicate("next"));
      fill_with_ghosts(from_.back(), 1.0);
      fill_with_ghosts(to_.back(), 1.0);
      parts_.push_back(halo_of(from_.back(), {.corners = Corners::without}));
    }
    halo_ = std::make_unique<Halo>(parts_);
  }

  void exchange() { halo_->update(); }
  // The loops of step(), in its order: what the caches hold is the same.
  void compute() {
    compute_interior();
    compute_boundary();
  }
  void step() {
    HaloUpdate update = halo_->update_async();
    compute_interior();
    update.wait();
    compute_boundary();
  }
  // From the first rank's start to the last one's end, nearly: the longest time of a rank.
  template <class F>
  double seconds(index_t count, F&& f) const {
    world_.barrier();
    const double begin = now();
    for (index_t i = 0; i < count; ++i) f();
    return world_.all_reduce((now() - begin) / static_cast<double>(count), Reduce::max);
  }

 private:
  void compute_interior() {
    for (std::size_t f = 0; f < fields; ++f)
      with_stencil(f, [&](const auto& apply) { for_each_interior(from_[f], apply); });
  }
  void compute_boundary() {
    for (std::size_t f = 0; f < fields; ++f)
      with_stencil(f, [&](const auto& apply) { for_each_boundary(from_[f], apply); });
  }
  template <class F>
  void with_stencil(std::size_t f, F&& loop) {
    const auto old_access = std::as_const(from_[f]).local_with_ghosts();
    const auto new_access = to_[f].local();
    const auto old = old_access.global();
    const auto next = new_access.global();
    loop([&](index_t j, index_t i) {
      next(j, i) = 0.2 * (old(j, i) + old(j - 1, i) + old(j + 1, i) + old(j, i - 1) + old(j, i + 1));
    });
  }

  const Group& world_;
  std::vector<Array<double, 2>> from_, to_;
  std::vector<HaloPart> parts_;
  std::unique_ptr<Halo> halo_;
};

void measure(Session& session, index_t edge) {
  Solver solver(session.world(), edge);
  const auto exchange = [&] { solver.exchange(); };
  const auto computation = [&] { solver.compute(); };
  const auto step = [&] { solver.step(); };
  solver.seconds(3, step);
  const double sample = session.is_quick() ? 1e-3 : 50e-3;
  const auto count = std::max<index_t>(1, static_cast<index_t>(sample / solver.seconds(3, step)));
  std::vector<double> alone, computed, together, shares;
  for (int pair = 0; pair < (session.is_quick() ? 4 : 31); ++pair) {
    const bool forwards = pair % 2 == 0;
    if (forwards) alone.push_back(solver.seconds(count, exchange));
    if (!forwards) computed.push_back(solver.seconds(count, computation));
    together.push_back(solver.seconds(count, step));
    if (forwards) computed.push_back(solver.seconds(count, computation));
    if (!forwards) alone.push_back(solver.seconds(count, exchange));
    shares.push_back(1.0 - (together.back() - computed.back()) / alone.back());
  }
  std::vector<double> controls = neighbour_ratios(alone);
  for (const double ratio : neighbour_ratios(together)) controls.push_back(ratio);
  session.add({.section = section,
               .name = std::to_string(edge) + " x " + std::to_string(edge) + " elements on each rank",
               .reference = "the exchange alone",
               .measured = {.time = median_estimate(together),
                            .reference = median_estimate(alone),
                            .control = median_estimate(controls),
                            .share = median_estimate(shares)},
               .target = edge >= 1024 ? std::optional(Target{Goal::share_at_least, 0.9}) : std::nullopt});
}

}  // namespace

void hiding(Session& session, const Place&) {
  if (!session.wants(section)) return;
  for (const index_t edge :
       session.is_quick() ? std::vector<index_t>{64} : std::vector<index_t>{512, 1024, 2048})
    measure(session, edge);
  session.note(
      "Hiding: the time is that of a step: exchange begun, interior computed, waited, boundary computed. The "
      "share is "
      "what of the exchange's own time is gone, against the computation alone.");
}

}  // namespace tessera::benchmark::arrays
