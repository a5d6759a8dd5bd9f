// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace tessera::test {

/// Finds where values are farthest from the expected ones. A NaN is infinitely far.
///
///     LargestDistance distance;
///     for (std::size_t i = 0; i < found.size(); ++i) distance(i, expected[i], found[i]);
///     EXPECT_TRUE(distance.below(1e-12));
class LargestDistance {
 public:
  /// `where` is anything that GoogleTest can print. @local
  template <class Where, class Expected, class Found>
  void operator()(const Where& where, const Expected& expected, const Found& found) {
    double apart = between(expected, found);
    if (std::isnan(apart)) apart = std::numeric_limits<double>::infinity();
    if (apart <= largest_) return;
    largest_ = apart;
    where_ = testing::PrintToString(where) + ": expected " + testing::PrintToString(expected) + ", found " +
             testing::PrintToString(found);
  }

  /// Whether all distances are less than the tolerance. @local
  [[nodiscard]] testing::AssertionResult below(double tolerance) const {
    if (largest_ < tolerance) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the largest distance is " << largest_ << " where less than "
                                       << tolerance << " is allowed, at " << where_;
  }

 private:
  // Real numbers may be of different types.
  template <class Expected, class Found>
  static double between(const Expected& expected, const Found& found) {
    if constexpr (std::is_arithmetic_v<Expected>)
      return std::abs(static_cast<double>(found) - static_cast<double>(expected));
    else
      return static_cast<double>(std::abs(found - expected));
  }

  double largest_ = 0;
  std::string where_;
};

}  // namespace tessera::test
