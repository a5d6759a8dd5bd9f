// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/array.hpp>

#include "domain.hpp"

namespace solvers {

/// Solves -Laplace(x) = f directly on rank 0, for small grids: along each dimension, the eigenvectors of the
/// second difference are known waves. (Lynch, Rice and Thomas, Numer. Math. 6, 1964)
template <std::size_t N>
class DirectSolver {
 public:
  /// @collective
  DirectSolver(const tessera::Group& group, const tessera::Extents<N>& dims, const Domain<N>& domain);
  /// Solves for arrays of any layout. In the singular case, f and x have the mean 0. @collective
  void solve(const tessera::Array<double, N>& f, tessera::Array<double, N>& x);

 private:
  enum class Way : std::uint8_t { to_waves, from_waves };
  void transform(double* values, Way way);

  tessera::Extents<N> dims_;
  tessera::Array<double, N> own_;             // all cells at rank 0
  std::array<std::vector<double>, N> waves_;  // orthonormal rows
  std::array<std::vector<double>, N> eigenvalues_;
  std::vector<double> line_;
};

}  // namespace solvers
