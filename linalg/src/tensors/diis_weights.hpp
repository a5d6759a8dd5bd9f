// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

namespace tessera::linalg::detail {

/// What is known of the errors of successive iterations: the differences of each to the next, the oldest first.
struct ErrorDifferences {
  std::vector<double> norms;
  /// Scalar products of the differences, each divided by its norm.
  std::vector<std::vector<double>> cosines;
  /// The same with the newest error.
  std::vector<double> products;
};

/// The weights of the iterations, with the sum 1, whose errors have the combination of least norm. A difference
/// is left out if its distance from the space of newer ones, squared and relative, is not above `threshold`.
/// @local
std::vector<double> diis_weights(const ErrorDifferences& differences, double threshold);

}  // namespace tessera::linalg::detail
