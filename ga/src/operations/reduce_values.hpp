// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <limits>
#include <span>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/group.hpp>

#include "base/arithmetic.hpp"
#include "base/dispatch.hpp"
#include "format.hpp"

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
  throw UsageError(
      formatted("{} is not defined for elements of {}", to_string(operation), to_string(element_kind<T>())));
}

/// Group::all_reduce that keeps NaN under min and max, which MPI does not promise. @collective
template <class T>
void reduce_all(const Group& group, std::span<T> values, Reduce operation) {
  if constexpr (std::is_floating_point_v<T>) {
    if (operation == Reduce::min || operation == Reduce::max) {
      // NaN is replaced by a neutral number. One more element, behind all numbers, tells whether there was a
      // NaN. Only then a second reduction finds where.
      const T none = identity<T>(operation), yes = operation == Reduce::min ? T{-1} : T{1};
      std::vector<T> numbers(values.begin(), values.end()), marks(values.size(), T{0});
      bool any = false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!is_nan(values[i])) continue;
        numbers[i] = none;
        marks[i] = yes;
        any = true;
      }
      numbers.push_back(any ? yes : T{0});
      group.all_reduce(std::span<T>(numbers), operation);
      const bool anywhere = numbers.back() != T{0};
      if (anywhere) group.all_reduce(std::span<T>(marks), operation);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = anywhere && marks[i] != T{0} ? std::numeric_limits<T>::quiet_NaN() : numbers[i];
      return;
    }
  }
  group.all_reduce(values, operation);
}

}  // namespace tessera::detail
