// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "multigrid/domain.hpp"

namespace poisson {

/// Which conditions hold at the ends of the unit box.
enum class Walls { neumann, dirichlet, mixed, periodic };

/// A solution that is known. Along each dimension it is a sum of two waves that fit the conditions.
template <std::size_t N>
class Manufactured {
 public:
  explicit Manufactured(Walls walls) : walls_(walls) {}
  /// The unit box. @local
  solvers::Domain<N> domain(const tessera::Extents<N>& cells) const;
  /// The solution, and the right side -Laplace of it, at a point. @local
  double solution(const std::array<double, N>& at) const;
  double right_side(const std::array<double, N>& at) const;

 private:
  struct Factor {
    double value, second_derivative;
  };
  Factor factor(double x) const;

  Walls walls_;
};

}  // namespace poisson
