// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "diis.hpp"

#include <Eigen/Dense>

namespace rhf {

using namespace tessera;

void Diis::extrapolate(Matrix& fock, const Matrix& error) {
  if (focks_.size() == most_) {
    focks_.pop_front(), errors_.pop_front(), products_.pop_front();
    for (auto& row : products_) row.pop_front();
  }
  copy(fock, focks_.emplace_back(fock.duplicate("kept Fock matrix")));
  copy(error, errors_.emplace_back(error.duplicate("kept error")));
  auto& row = products_.emplace_back();
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    row.push_back(dot(errors_[i], errors_.back()));
    if (i + 1 < errors_.size()) products_[i].push_back(row.back());
  }
  const auto n = static_cast<Eigen::Index>(focks_.size());
  if (n < 2) return;
  // Minimise |sum c_i e_i|^2 with sum c_i = 1, by a Lagrange multiplier. Scaled, because the products shrink to
  // nothing.
  Eigen::MatrixXd system = Eigen::MatrixXd::Constant(n + 1, n + 1, -1.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      system(i, j) =
          products_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] / products_.back().back();
    }
  }
  system(n, n) = 0;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + 1);
  right(n) = -1;
  const Eigen::VectorXd weights = system.colPivHouseholderQr().solve(right);
  fill(fock, 0.0);
  for (Eigen::Index i = 0; i < n; ++i) axpby(weights(i), focks_[static_cast<std::size_t>(i)], 1, fock);
}

}  // namespace rhf
