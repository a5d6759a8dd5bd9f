// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::benchmark::poisson {

/// The rows that a rank has of n x n points inside the unit square, in blocks of nearly equal height.
struct Strip {
  index_t n, first, rows;

  static Strip of(index_t n, int ranks, int rank) noexcept {
    const index_t first = n * rank / ranks;
    return {n, first, n * (rank + 1) / ranks - first};
  }
  /// Points in memory: with a border of one point on each side, row by row.
  index_t width() const noexcept { return n + 2; }
  index_t points() const noexcept { return (rows + 2) * width(); }
};

/// -u_xx - u_yy = 2 pi^2 sin(pi x) sin(pi y), with u = 0 around the square. Red points have an even sum of row
/// and column. Five-point differences.
class Grid {
 public:
  /// The points lie at `points`, which the grid sets to 0.
  Grid(const Strip& strip, double* points);

  const Strip& strip() const noexcept { return strip_; }
  double* row(index_t i) noexcept { return points_ + i * strip_.width(); }
  /// Replaces each point of a colour by the value that its neighbours ask for (Gauss-Seidel). @local
  void sweep(int colour) noexcept;
  /// The same for the first and the last row, and for the rows between them. @local
  void sweep_outer_rows(int colour) noexcept;
  void sweep_inner_rows(int colour) noexcept;
  /// The largest defect of an equation, times the square of the distance of points. @local
  double defect() const noexcept;
  /// The largest distance from the solution of the differential equation. @local
  double error() const;
  /// The points without the border. @local
  std::vector<double> inside() const;
  void clear() noexcept;

 private:
  void sweep_rows(int colour, index_t begin, index_t end) noexcept;

  Strip strip_;
  double* points_;
  std::vector<double> source_;  // of all points, times the square of the distance of points
};

}  // namespace tessera::benchmark::poisson
