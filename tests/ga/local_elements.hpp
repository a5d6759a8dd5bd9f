// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>

#include <tessera/elementwise.hpp>

#include "comparison.hpp"

namespace tessera::test {

/// Compares this rank's elements of an array or a slice with expected(Index). @local
template <class A, class F>
void compare_local(Comparison& compared, A&& array, F&& expected) {
  for_each_local(std::forward<A>(array),
                 [&](const auto& at, const auto& found) { compared(at, expected(at), found); });
}

/// Whether this rank's elements of an array or a slice are expected(Index). @local
template <class A, class F>
testing::AssertionResult local_elements_are(A&& array, F&& expected) {
  Comparison compared;
  compare_local(compared, std::forward<A>(array), std::forward<F>(expected));
  return compared.equal();
}

}  // namespace tessera::test
