// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "multigrid.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "copy_own.hpp"
#include "hierarchy.hpp"

namespace solvers {

using tessera::Layout;
using tessera::LevelStencil;

namespace {

template <std::size_t N>
void require_layout(const tessera::Array<double, N>& array, const Layout<N>& layout) {
  if (array.layout().same_distribution(layout)) return;
  throw tessera::UsageError("Multigrid: array \"" + array.name() +
                            "\" has another layout than the one that the multigrid was made for");
}

template <std::size_t N>
void subtract_mean(tessera::Array<double, N>& x) {
  const double mean = exact_sum(x) / static_cast<double>(x.size());
  const auto access = x.local();
  const auto values = access.global();
  for_each_point(values.patch(), [&](auto... at) { values(at...) -= mean; });
}

}  // namespace

double MultigridResult::factor() const {
  const int last = cycles(), first = std::max(0, last - 3);
  if (last == first) return 0;
  const auto at = [this](int k) { return residuals[static_cast<std::size_t>(k)]; };
  return std::pow(at(last) / at(first), 1.0 / (last - first));
}

std::string MultigridResult::description() const {
  return fmt::format(
      "the residual went from {:.2e} to {:.2e} in {} cycles, at last by a factor of {:.2f} each; {}",
      residuals.front(), residuals.back(), cycles(), factor(), tessera::to_string(stop));
}

template <std::size_t N>
Multigrid<N>::Multigrid(const tessera::Group& group, const Layout<N>& cells, const Domain<N>& domain,
                        const MultigridOptions& options)
    : options_(options), is_singular_(domain.is_singular()) {
  if (options.is_symmetric && options.before != options.after) {
    throw tessera::UsageError(fmt::format(
        "a symmetric cycle has as many relaxations before as after the coarser grids, not {} and {}",
        options.before, options.after));
  }
  Domain<N> here = domain;
  Layout<N> layout = cells.with_ghosts(0);
  for (;;) {
    // Blocks that begin at odd positions need one more fine cell of their first coarse cell.
    const int reach = (options.is_symmetric ? 1 : 0) + (blocks_are_even(layout) ? 0 : 1);
    levels_.push_back(std::make_unique<Level<N>>(group, layout, here, reach));
    if (layout.dims().size() <= options.most_direct || !can_be_halved(layout.dims())) break;
    Level<N>& fine = *levels_.back();
    const Layout<N> next = coarser(layout, options.least_block);
    fine.travels = !layout.coarsened(2).same_distribution(next);
    const auto restriction =
        options.is_symmetric ? LevelStencil{-1, {0.125, 0.375, 0.375, 0.125}} : LevelStencil::cell_mean();
    transfers_.push_back(std::make_unique<tessera::GridTransfer<double, N>>(
        group, layout, next, restriction, LevelStencil::cell_linear(), domain.periodic));
    layout = next;
    here = here.coarsened();
  }
  require_small(layout.dims());
  direct_.emplace(group, layout.dims(), here);
}

template <std::size_t N>
MultigridResult Multigrid<N>::solve(const Array& f, Array& x, const Tolerance& tolerance) {
  Level<N>& finest = *levels_.front();
  require_layout(f, finest.f.layout());
  require_layout(x, finest.x.layout());
  copy_own(x, finest.x);
  if (is_singular_) {
    copy_own(f, finest.f);
    subtract_mean(finest.f);
  }
  const Array& right = is_singular_ ? finest.f : f;
  const double norm = norm_inf(right), scale = norm > 0 ? norm : 1;
  const double enough = std::max(tolerance.relative, tolerance.absolute / scale);
  MultigridResult result{tessera::Stop::iterations, {}};
  const auto measure = [&] {
    finest.find_residual(right);
    result.residuals.push_back(norm_inf(finest.r) / scale);
    return result.residuals.back();
  };
  double residual = measure(), least = residual;
  for (int slow = 0; residual > enough && result.cycles() < tolerance.most_cycles && slow < 3;) {
    cycle(0, right);
    residual = measure();
    if (!std::isfinite(residual)) break;
    // Rounding errors, or cells that are far from cubes.
    slow = residual > 0.9 * least ? slow + 1 : 0;
    if (slow == 3) result.stop = tessera::Stop::stagnation;
    least = std::min(least, residual);
  }
  if (!std::isfinite(residual)) result.stop = tessera::Stop::not_finite;
  if (residual <= enough) result.stop = tessera::Stop::converged;
  if (is_singular_) subtract_mean(finest.x);
  copy_own(finest.x, x);
  return result;
}

template <std::size_t N>
void Multigrid<N>::operator()(const Array& f, Array& x) {
  Level<N>& finest = *levels_.front();
  require_layout(f, finest.f.layout());
  require_layout(x, finest.x.layout());
  finest.clear();
  cycle(0, f);
  copy_own(finest.x, x);
}

template <std::size_t N>
void Multigrid<N>::apply(const Array& x, Array& y) {
  Level<N>& finest = *levels_.front();
  require_layout(x, finest.x.layout());
  copy_own(x, finest.x);
  finest.update(finest.star);
  const auto from = std::as_const(finest.x).local_with_ghosts();
  const auto to = y.local();
  finest.laplacian.apply(from.global(), to.global(), y.local_patch());
}

template <std::size_t N>
double Multigrid<N>::ghost_seconds() const {
  double sum = 0;
  for (const auto& level : levels_) sum += level->ghost_seconds;
  return sum;
}

template <std::size_t N>
void Multigrid<N>::cycle(std::size_t number, const Array& right) {
  Level<N>& here = *levels_[number];
  const Timed timed(here.seconds);
  if (number == transfers_.size()) return direct_->solve(right, here.x);
  for (int k = 0; k < options_.before; ++k) here.relax(right, {0, 1}, options_.omega);
  here.find_residual(right);
  if (here.needs_ghosts) here.update(here.r_box);
  Level<N>& coarse = *levels_[number + 1];
  tessera::GridTransfer<double, N>& transfer = *transfers_[number];
  transfer.restrict_to(here.r, coarse.f);
  coarse.clear();
  cycle(number + 1, coarse.f);
  if (!here.travels) coarse.update(coarse.x_box);
  transfer.prolong(coarse.x, here.x, tessera::Update::sum, here.boundaries);
  const std::array<int, 2> colours = options_.is_symmetric ? std::array{1, 0} : std::array{0, 1};
  for (int k = 0; k < options_.after; ++k) here.relax(right, colours, options_.omega);
}

template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace solvers
