// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <deque>
#include <vector>

#include "integrals.hpp"

namespace rhf {

/// Direct inversion in the iterative subspace: P. Pulay, J. Comput. Chem. 3, 556 (1982).
class Diis {
 public:
  explicit Diis(std::size_t most = 8) : most_(most) {}
  /// Stores a Fock matrix and its error. Replaces the matrix by the combination of the stored ones with the
  /// least error.
  /// @collective
  void extrapolate(Matrix& fock, const Matrix& error);

 private:
  std::size_t most_;
  std::deque<Matrix> focks_, errors_;
  std::deque<std::deque<double>> products_;  // of the errors with each other
};

}  // namespace rhf
