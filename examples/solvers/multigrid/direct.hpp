// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/array.hpp>

#include "domain.hpp"

namespace solvers {

/// Solves -Laplace(x) = f directly, for small grids: along each dimension, the eigenvectors of the second
/// difference are known waves. (Lynch, Rice and Thomas, Numer. Math. 6, 1964)
template <std::size_t N>
class Waves {
 public:
  Waves(const tessera::Extents<N>& dims, const Domain<N>& domain);
  /// Replaces f by x, for all cells row by row. In the singular case, f and x have the mean 0. @local
  void solve(double* values);

 private:
  enum class Way : std::uint8_t { to_waves, from_waves };
  void transform(double* values, Way way);

  tessera::Extents<N> dims_;
  std::array<std::vector<double>, N> waves_;  // orthonormal rows
  std::array<std::vector<double>, N> eigenvalues_;
  std::vector<double> line_;
};

/// The same for arrays: rank 0 solves.
template <std::size_t N>
class DirectSolver {
 public:
  /// @collective
  DirectSolver(const tessera::Group& group, const tessera::Extents<N>& dims, const Domain<N>& domain);
  /// Solves for arrays of any layout. @collective
  void solve(const tessera::Array<double, N>& f, tessera::Array<double, N>& x);

 private:
  tessera::Array<double, N> own_;  // all cells at rank 0
  Waves<N> waves_;
};

}  // namespace solvers
