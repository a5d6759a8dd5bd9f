// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace tessera::test {

/// Compares many values. A failure says how many differ, where the first one is, and both values there.
///
///     Comparison compared;
///     for (std::size_t i = 0; i < found.size(); ++i) compared(i, expected[i], found[i]);
///     EXPECT_TRUE(compared.equal());
class Comparison {
 public:
  /// Compares two values with ==. `where` is anything that GoogleTest can print: a number, an Index, a tuple.
  /// @local
  template <class Where, class Expected, class Found>
  void operator()(const Where& where, const Expected& expected, const Found& found) {
    check(expected == found, where, expected, found);
  }
  /// The same when the caller knows whether the found value is right, as with a tolerance. @local
  template <class Where, class Expected, class Found>
  void check(bool is_right, const Where& where, const Expected& expected, const Found& found) {
    ++compared_;
    if (is_right || differences_++ > 0) return;
    first_ = testing::PrintToString(where) + ": expected " + testing::PrintToString(expected) + ", found " +
             testing::PrintToString(found);
  }

  /// Whether all were equal. @local
  [[nodiscard]] testing::AssertionResult equal() const {
    if (differences_ == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << differences_ << " of " << compared_ << " values differ, first at " << first_;
  }

 private:
  std::int64_t compared_ = 0, differences_ = 0;
  std::string first_;
};

}  // namespace tessera::test
