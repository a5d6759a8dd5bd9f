// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "messages.hpp"

#include <algorithm>
#include <cmath>

#include "mpi_peer.hpp"
#include "multigrid/hierarchy.hpp"
#include "session.hpp"

namespace tessera::benchmark::multigrid {

Gathering::Gathering(MPI_Comm comm, int rank, const Layout<3>& near, const Layout<3>& coarse)
    : comm_(comm),
      rank_(rank),
      owner_(near.block(rank).empty() ? rank : coarse.owner(near.block(rank).lo)),
      block_(near.block(rank)),
      near_(grown(block_, 1)) {
  constexpr int down = 100, up = 101;
  if (!block_.empty() && owner_ != rank) {
    down_out_.push_back(message_for(owner_, down, block_));
    up_in_.push_back(message_for(owner_, up, near_.patch()));
  }
  const Patch<3> own = coarse.block(rank);
  for (int other = 0; other < near.ranks(); ++other) {
    const Patch<3> block = near.block(other);
    if (other == rank || block.empty() || !own.contains(block.lo)) continue;
    down_in_.push_back(message_for(other, down, block));
    up_out_.push_back(message_for(other, up, grown(block, 1)));
  }
}

void Gathering::gather(const Values& coarse) {
  for (Message& one : down_out_) pack(one, near_.values());
  start(comm_, down_in_, down_out_, requests_);
  if (owner_ == rank_) copy_patch(block_, near_.values(), coarse);
  finish(requests_);
  for (Message& one : down_in_) unpack(one, coarse);
}

void Gathering::scatter(const ConstValues& coarse) {
  for (Message& one : up_out_) pack(one, coarse);
  start(comm_, up_in_, up_out_, requests_);
  if (owner_ == rank_) copy_patch(near_.patch(), coarse, near_.values());
  finish(requests_);
  for (Message& one : up_in_) unpack(one, near_.values());
}

MessageMultigrid::Level::Level(MPI_Comm comm, int rank, const Layout<3>& layout,
                               const solvers::Domain<3>& domain)
    : block(layout.block(rank)),
      laplacian(domain, layout.dims()),
      x(grown(block, 1)),
      f(block),
      r(grown(block, 1)),
      star(comm, rank, layout, false),
      box(comm, rank, layout, true),
      restriction_reaches(!solvers::blocks_are_even(layout)) {}

MessageMultigrid::MessageMultigrid(const Group& world, const Layout<3>& cells, const solvers::Domain<3>& domain,
                                   const solvers::MultigridOptions& options)
    : comm_(world.mpi_comm()), options_(options) {
  solvers::Domain<3> here = domain;
  Layout<3> layout = cells;
  for (;;) {
    levels_.push_back(std::make_unique<Level>(comm_, world.rank(), layout, here));
    if (layout.dims().size() <= options.most_direct || !solvers::can_be_halved(layout.dims())) break;
    const Layout<3> near = layout.coarsened(2), next = solvers::coarser(layout, options.least_block);
    if (!near.same_distribution(next)) levels_.back()->gathering.emplace(comm_, world.rank(), near, next);
    layout = next;
    here = here.coarsened();
  }
  require(layout.local_size(0) == layout.dims().size(), "the coarsest level is not at rank 0");
  if (world.rank() == 0) direct_.emplace(layout.dims(), here);
}

void MessageMultigrid::operator()(const Block& f, Block& x) {
  Level& finest = *levels_.front();
  finest.x.clear();
  cycle(0, f.values());
  copy_patch(finest.block, finest.x.values(), x.values());
}

std::vector<double> MessageMultigrid::solve(const Block& f, Block& x, const solvers::Tolerance& tolerance) {
  Level& finest = *levels_.front();
  copy_patch(finest.block, x.values(), finest.x.values());
  const double scale = largest(f.values(), finest.block);
  std::vector<double> residuals;
  const auto measure = [&] {
    find_residual(finest, f.values());
    residuals.push_back(largest(finest.r.values(), finest.block) / scale);
    return residuals.back();
  };
  for (int cycles = 0; measure() > tolerance.relative && cycles < tolerance.most_cycles; ++cycles)
    cycle(0, f.values());
  copy_patch(finest.block, finest.x.values(), x.values());
  return residuals;
}

void MessageMultigrid::relax(Level& level, const ConstValues& f) {
  for (const int colour : {0, 1}) {
    level.star.update(level.x);
    level.laplacian.relax(level.x.values(), f, level.block, colour, options_.omega);
  }
}

void MessageMultigrid::find_residual(Level& level, const ConstValues& f) {
  level.star.update(level.x);
  level.laplacian.residual(level.x.values(), f, level.r.values(), level.block);
}

// Adds to x what the coarser levels find for the residual.
void MessageMultigrid::correct(std::size_t number) {
  Level &here = *levels_[number], &coarse = *levels_[number + 1];
  if (here.restriction_reaches) here.box.update(here.r);
  Block& target = here.gathering ? here.gathering->near() : coarse.f;
  const Patch<3> below{{(here.block.lo[0] + 1) / 2, (here.block.lo[1] + 1) / 2, (here.block.lo[2] + 1) / 2},
                       {(here.block.hi[0] + 1) / 2, (here.block.hi[1] + 1) / 2, (here.block.hi[2] + 1) / 2}};
  restrict_means(here.r.values(), target.values(), below);
  if (here.gathering) here.gathering->gather(coarse.f.values());
  coarse.x.clear();
  cycle(number + 1, coarse.f.values());
  coarse.box.update(coarse.x);
  if (here.gathering) here.gathering->scatter(coarse.x.values());
  add_interpolated(here.gathering ? target.values() : coarse.x.values(), here.x.values(), here.block);
}

void MessageMultigrid::cycle(std::size_t number, const ConstValues& f) {
  Level& here = *levels_[number];
  if (number + 1 < levels_.size()) {
    for (int k = 0; k < options_.before; ++k) relax(here, f);
    find_residual(here, f);
    correct(number);
    for (int k = 0; k < options_.after; ++k) relax(here, f);
  } else if (direct_) {
    direct_->solve(here.f.data());
    copy_patch(here.block, here.f.values(), here.x.values());
  }
}

double MessageMultigrid::largest(const ConstValues& values, const Patch<3>& patch) const {
  double most = 0;
  const index_t count = patch.hi[2] - patch.lo[2];
  for_each_row(patch, [&](const Index<3>& first) {
    const double* row = &values[first];
    for (index_t k = 0; k < count; ++k) most = std::max(most, std::abs(row[k]));
  });
  mpi_peer::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
  return most;
}

}  // namespace tessera::benchmark::multigrid
