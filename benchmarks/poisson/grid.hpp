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
  /// Points of one colour in a row of memory: with a border of one point on each side.
  index_t half() const noexcept { return (n + 3) / 2; }
  index_t points() const noexcept { return (rows + 2) * 2 * half(); }
  /// The place of the points of a row that have an even column, or an odd one (1). Row 0 is the border above.
  index_t at(index_t i, index_t parity) const noexcept { return (2 * i + parity) * half(); }
  /// Whether the columns of a colour are even or odd in a row.
  index_t parity(int colour, index_t i) const noexcept { return (first + i + colour) % 2; }
};

/// -u_xx - u_yy = 2 pi^2 sin(pi x) sin(pi y), with u = 0 around the square. Red points have an even sum of row
/// and column. Five-point differences. In memory a row has its even columns first, then its odd ones. So the
/// points of a colour are adjacent: loops are of stride 1, and only the colour that has changed is sent.
class Grid {
 public:
  /// The points lie at `points`, which the grid sets to 0.
  Grid(const Strip& strip, double* points);

  const Strip& strip() const noexcept { return strip_; }
  /// The points of a colour in a row.
  double* row(index_t i, int colour) noexcept { return points_ + strip_.at(i, strip_.parity(colour, i)); }
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
  double point(index_t i, index_t j) const noexcept { return points_[strip_.at(i, j % 2) + j / 2]; }

  Strip strip_;
  double* points_;
  std::vector<double> source_;  // of all points, times the square of the distance of points
};

}  // namespace tessera::benchmark::poisson
