// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "base/vectorised.hpp"

namespace tessera::detail {

/// The lesser (greater) of two elements; y if they are equal. A NaN wins against every number, so a result that
/// is no NaN shows that no operand was one. @local
template <class T>
TESSERA_INLINE constexpr T lesser(T y, T x) noexcept {
  return x < y || x != x ? x : y;
}
template <class T>
TESSERA_INLINE constexpr T greater(T y, T x) noexcept {
  return y < x || x != x ? x : y;
}

}  // namespace tessera::detail
