// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/arithmetic.hpp>
#include <tessera/runtime/error.hpp>
#include <tessera/runtime/group.hpp>
#include <tessera/runtime/types.hpp>

// The operations of reductions on two values.

namespace tessera::detail {

/// The value that leaves every other unchanged under an operation. @local
template <class T>
T identity(Reduce operation) {
  using Limits = std::numeric_limits<T>;
  switch (operation) {
    case Reduce::product:
    case Reduce::logical_and:
      return T{1};
    case Reduce::min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Reduce::max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Reduce::absmin:
      if constexpr (std::is_integral_v<T>) return Limits::lowest();  // its magnitude is the largest
      return T{std::numeric_limits<typename RealOf<T>::type>::infinity()};
    case Reduce::bit_and:
      return static_cast<T>(-1);
    default:
      return T{0};
  }
}

/// The result of an operation on two values. @throws UsageError if it is not defined for them. @local
template <class T>
T combine(Reduce operation, T a, T b) {
  if (operation == Reduce::sum) return sum(a, b);
  if (operation == Reduce::product) return product(a, b);
  if (operation == Reduce::absmax)
    return static_cast<T>(greatest(comparable_magnitude(a), comparable_magnitude(b)));
  if (operation == Reduce::absmin)
    return static_cast<T>(least(comparable_magnitude(a), comparable_magnitude(b)));
  if constexpr (!std::is_same_v<T, std::complex<typename RealOf<T>::type>>) {
    if (operation == Reduce::min) return least(a, b);
    if (operation == Reduce::max) return greatest(a, b);
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Reduce::logical_and:
        return a != 0 && b != 0;
      case Reduce::logical_or:
        return a != 0 || b != 0;
      case Reduce::bit_and:
        return a & b;
      case Reduce::bit_or:
        return a | b;
      case Reduce::bit_xor:
        return a ^ b;
      default:
        break;
    }
  }
  throw UsageError(std::string(to_string(operation)) + " is not defined for elements of " +
                   to_string(element_kind<T>()));
}

}  // namespace tessera::detail
