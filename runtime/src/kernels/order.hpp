// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

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

/// The magnitude of a real element, and of a complex one in two parts; NaN if a part is NaN. That of an integer
/// is unsigned, as the most negative integer has no other. @local
template <class T>
TESSERA_INLINE auto magnitude_of(T x) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return x < 0 ? static_cast<U>(0) - static_cast<U>(x) : static_cast<U>(x);
  } else {
    return std::abs(x);
  }
}
template <class T>
TESSERA_INLINE T magnitude_of(T re, T im) noexcept {
  return re != re || im != im ? std::numeric_limits<T>::quiet_NaN() : std::hypot(re, im);
}

}  // namespace tessera::detail
