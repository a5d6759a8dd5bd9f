// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>

#include <tessera/array.hpp>

namespace solvers {

/// Copies this rank's elements of one array to another one with the same distribution. @local
template <std::size_t N>
void copy_own(const tessera::Array<double, N>& from, tessera::Array<double, N>& to) {
  const auto from_access = from.local();
  const auto to_access = to.local();
  const auto source = from_access.global();
  const auto target = to_access.global();
  for_each_row(source.patch(), [&](const tessera::Index<N>& first) {
    std::copy_n(&source[first], source.extent(N - 1), &target[first]);
  });
}

}  // namespace solvers
