// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "cut.hpp"
#include "levels.hpp"
#include "problem.hpp"

namespace tessera::benchmark::mg {

/// The whole benchmark in one way: V-cycles for A u = v.
template <class Way>
class Solver {
 public:
  /// `charges` are those of the problem. @collective @throws UsageError as Cut
  Solver(const Group& world, const Problem& problem, const std::vector<Charge>& charges)
      : problem_(problem),
        cut_(problem.levels, world.size()),
        whole_block_(cut_.layout(cut_.whole()).block(world.rank())),
        part_(whole_block_.extents()),
        way_(world, cut_),
        coarse_(problem.smoother),
        fine_(problem.smoother) {
    for (int level = 1; level <= cut_.whole(); ++level) {
      const index_t n = index_t{1} << level;
      coarse_.add(WholeField(n), WholeField(n));
    }
    for (int level = cut_.whole() + 1; level <= problem.levels; ++level)
      fine_.add(way_.make(level), way_.make(level));
    const Patch<3> block = cut_.layout(problem.levels).block(world.rank());
    v_ = LocalArray<double, 3>(with_ghosts(block.extents()));
    for (const Charge& charge : charges) {
      if (block.contains(charge.at)) inside(v_)[Index<3>{} + (charge.at - block.lo)] = charge.value;
    }
  }

  /// Makes all iterations from u = 0, and returns the norm of the residual. @collective
  double run() {
    const std::size_t finest = fine_.finest();
    clear(fine_.u(finest));
    fine_.find_residual(finest, v_);
    for (int i = 0; i < problem_.iterations; ++i) {
      cycle();
      fine_.find_residual(finest, v_);
    }
    const double points = std::pow(2.0, 3 * problem_.levels);
    return std::sqrt(way_.sum(squares(fine_.const_r(finest))) / points);
  }

 private:
  // Adds to the finest u what all levels find from the finest r.
  void cycle() {
    const std::size_t finest = fine_.finest();
    fine_.descend();
    solve_coarse();
    if (finest > 0) clear(fine_.u(0));
    const Grid whole = coarse_.u(coarse_.finest());
    const Extents<3> extents = with_ghosts(whole_block_.extents());
    interpolate(whole.subview(Patch<3>::at(whole_block_.lo, extents)), fine_.u(0));
    if (finest > 0) {
      fine_.improve(0, fine_.const_r(0));
      for (std::size_t level = 1; level < finest; ++level) fine_.ascend(level);
      interpolate(fine_.const_u(finest - 1), fine_.u(finest));
    }
    fine_.improve(finest, v_);
  }

  // Every rank finds the same u on the levels that it has whole.
  void solve_coarse() {
    const std::size_t finest = coarse_.finest();
    restrict(fine_.const_r(0), part_);
    way_.share(part_, inside(coarse_.r(finest)));
    coarse_.update_r(finest);
    coarse_.descend();
    clear(coarse_.u(0));
    coarse_.relax(0);
    for (std::size_t level = 1; level <= finest; ++level) coarse_.ascend(level);
  }

  Problem problem_;
  Cut cut_;
  Patch<3> whole_block_;        // of this rank, of level cut_.whole()
  LocalArray<double, 3> part_;  // r of this block
  Way way_;
  Levels<WholeField> coarse_;
  Levels<typename Way::Field> fine_;
  LocalArray<double, 3> v_;
};

}  // namespace tessera::benchmark::mg
