// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ways.hpp"

namespace tessera::benchmark::mg {
namespace {

Layout<4> two_copies(int level, int ranks) {
  const index_t n = index_t{1} << level;
  return Layout<4>::blocked({2 * ranks, n, n, n}, ranks, {.grid = {{ranks, 1, 1, 1}}});
}

// A patch of a copy.
Patch<4> in_copy(index_t copy, const Patch<3>& patch) {
  return {{copy, patch.lo[0], patch.lo[1], patch.lo[2]}, {copy + 1, patch.hi[0], patch.hi[1], patch.hi[2]}};
}

}  // namespace

TesseraWay::TesseraWay(const Group& world, const Cut& cut)
    : world_(world),
      cut_(cut),
      block_(cut.layout(cut.whole()).block(world.rank())),
      copies_(world, two_copies(cut.whole(), world.size()), {.name = "copies of the coarse residual"}),
      came_(world, 2, "blocks that have come") {}

Array<double, 3> TesseraWay::make(int level) const {
  return {
      world_, cut_.layout(level), {.name = "level " + std::to_string(level), .ghosts = 1, .periodic = true}};
}

void TesseraWay::share(const LocalArray<double, 3>& block, const Grid& whole) {
  turn_ = 1 - turn_;
  const Patch<4> patch = in_copy(0, block_);
  const View<const double, 4> from(block.data(), patch.extents());
  for (int next = 0; next < world_.size(); ++next) {
    const int rank = (world_.rank() + next) % world_.size();
    copies_.put_notify(in_copy(2 * rank + turn_, block_), from, came_.at(rank, turn_));
  }
  came_.wait(turn_, world_.size());
  const auto mine = std::as_const(copies_).local();
  copy(ConstGrid(&mine(turn_, 0, 0, 0), whole.extents()), whole);
}

}  // namespace tessera::benchmark::mg
