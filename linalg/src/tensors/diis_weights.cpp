// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/diis_weights.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace tessera::linalg::detail {

// The combination is e - the sum of g_i d_i, with the newest error e and the differences d_i. So g solves the
// normal equations, here by a Cholesky factor that is made from the newest difference to the oldest. Products
// of the errors themselves would be less exact: they cancel where errors are alike.
std::vector<double> diis_weights(const ErrorDifferences& differences, double newest_norm, double threshold) {
  const auto& [norms, cosines, products] = differences;
  std::vector<std::size_t> chosen;
  std::vector<std::vector<double>> factor;  // rows of the lower triangle
  std::vector<double> x;
  for (std::size_t i = norms.size(); i-- > 0;) {
    if (!(norms[i] > threshold * newest_norm)) continue;
    std::vector<double> row;
    double rest = 1, right = products[i];
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      double value = cosines[i][chosen[j]];
      for (std::size_t k = 0; k < j; ++k) value -= row[k] * factor[j][k];
      row.push_back(value / factor[j][j]);
      rest -= row[j] * row[j];
      right -= row[j] * x[j];
    }
    if (!(rest > threshold)) continue;
    row.push_back(std::sqrt(rest));
    x.push_back(right / row.back());
    chosen.push_back(i);
    factor.push_back(std::move(row));
  }
  // Iteration i is the beginning of difference i, and the end of the one before.
  std::vector<double> weights(norms.size() + 1, 0.0);
  weights.back() = 1;
  for (std::size_t i = chosen.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < chosen.size(); ++k) x[i] -= factor[k][i] * x[k];
    x[i] /= factor[i][i];
    const double weight = x[i] / norms[chosen[i]];
    weights[chosen[i]] += weight;
    weights[chosen[i] + 1] -= weight;
  }
  return weights;
}

}  // namespace tessera::linalg::detail
