// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tessera/krylov.hpp>

#include "direct.hpp"
#include "level.hpp"

namespace solvers {

struct MultigridOptions {
  int before = 1, after = 1;  ///< red-black relaxations before and after the correction from coarser grids
  double omega = 1.15;        ///< over-relaxation
  /// Coarse levels are on so few ranks that a block has this many cells along each dimension.
  tessera::index_t least_block = 8;
  /// Levels become coarser while they have more cells than this; the last one is solved directly.
  tessera::index_t most_direct = 512;
  /// A cycle is a symmetric operator, as cg needs it for a preconditioner. Cycles alone converge more slowly.
  bool is_symmetric = false;
};

/// When a solution is good enough: the largest |f - A x| is at most `relative` times the largest |f|, or at
/// most `absolute`.
struct Tolerance {
  double relative = 1e-9, absolute = 0;
  int most_cycles = 50;
};

/// How a solution by multigrid ended; the same on every rank.
struct MultigridResult {
  tessera::Stop stop;
  std::vector<double> residuals;  ///< the largest |f - A x| relative to f: at the start, and after each cycle
  bool converged() const noexcept { return stop == tessera::Stop::converged; }
  int cycles() const noexcept { return static_cast<int>(residuals.size()) - 1; }
  /// What a cycle multiplies the residual by, as a geometric mean of the last few. @local
  double factor() const;
  /// What the residual did, for a message. @local
  std::string description() const;
};

/// A geometric multigrid for -Laplace(x) = f in cells: V-cycles with red-black relaxation, means of residuals,
/// and linear interpolation. Extents should have factors of 2. Results do not depend on the number of ranks.
/// (Trottenberg, Oosterlee and Schüller, Multigrid, 2001)
template <std::size_t N>
class Multigrid {
 public:
  using Array = tessera::Array<double, N>;

  /// For arrays of this layout, with or without ghost cells. @collective @throws UsageError if the extents have
  /// too few factors of 2, or a block has one cell
  Multigrid(const tessera::Group& group, const tessera::Layout<N>& cells, const Domain<N>& domain,
            const MultigridOptions& options = {});

  /// Improves x. If x is determined but for a constant, the mean of f is left out, and x gets the mean 0.
  /// @collective @throws UsageError for arrays of another layout @completion others see this rank's elements of
  /// x after the next synchronisation
  MultigridResult solve(const Array& f, Array& x, const Tolerance& tolerance = {});
  /// x = one cycle for f from 0: a preconditioner. @collective
  void operator()(const Array& f, Array& x);
  /// y = A x, the operator -Laplace. @collective
  void apply(const Array& x, Array& y);

  std::size_t levels() const noexcept { return levels_.size(); }
  /// The time of a level and of all coarser ones so far, in seconds. @local
  double seconds(std::size_t level) const { return levels_[level]->seconds; }
  /// The time of all exchanges of ghost cells so far. @local
  double ghost_seconds() const;

 private:
  void cycle(std::size_t level, const Array& right);

  MultigridOptions options_;
  bool is_singular_;
  std::vector<std::unique_ptr<Level<N>>> levels_;                             // the finest first
  std::vector<std::unique_ptr<tessera::GridTransfer<double, N>>> transfers_;  // to the next level
  std::optional<DirectSolver<N>> direct_;
};

}  // namespace solvers
