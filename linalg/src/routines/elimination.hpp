// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "scalapack/scalapack_call.hpp"

namespace tessera::linalg::detail {

/// Gaussian elimination with row exchanges, on a copy whose columns are scaled to one: a C = p l u. C holds
/// powers of two. They change neither the pivots nor a digit of the result within its range. Rows that would
/// then be far below one are scaled, too: R a C = p l u.
template <class T>
struct Elimination {
  ScalapackCall call;
  int n;
  ScalapackMatrix factor;
  std::vector<int> columns, rows;  // the exponents of C and R
  std::vector<int> pivots;
  int singular = 0;  // the first pivot that is zero, counted from 1

  /// @collective @throws LinalgError if `a` holds NaN or infinity
  Elimination(std::string_view routine, const SliceCore& a, index_t largest_extent, const Blocking& blocking,
              bool scales_rows = true)
      : call(routine, a, largest_extent, blocking),
        n(call.narrow(a.extents()[0])),
        factor(call.copy_of(a)),
        columns(each_to_one(routine, a, 1, "p?getrf")),
        rows(scales_rows ? low_rows(routine, a, columns) : std::vector<int>()),
        pivots(scalapack::pivots_of(factor.descriptor())) {
    scale_by(factor.matrix(), rows, columns);
    const int info = call.run([&] {
      return scalapack::getrf<T>(n, n, factor.template data<T>(), factor.descriptor(), pivots.data());
    });
    if (info < 0) call.fail("p?getrf", info, "failed");
    // p?getrf (2.2) does not report that a matrix of one row is singular.
    singular = first_without_inverse<T>(factor.matrix());
  }
  // The exponents of rows that need them; empty if none does.
  static std::vector<int> low_rows(std::string_view routine, const SliceCore& a,
                                   const std::vector<int>& columns) {
    constexpr int low = std::numeric_limits<Real<T>>::max_exponent / 4;
    std::vector<int> rows = each_to_one_of_scaled(routine, a, 0, columns, "p?getrf");
    for (int& exponent : rows) exponent = exponent > low ? exponent : 0;
    if (std::all_of(rows.begin(), rows.end(), [](int exponent) { return exponent == 0; })) rows.clear();
    return rows;
  }
  /// @throws LinalgError if there is no solution.
  void require_regular() const {
    if (singular > 0) call.fail("p?getrf", singular, formatted("is singular: pivot {} is zero", singular));
  }
};

}  // namespace tessera::linalg::detail
