// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <type_traits>

#include <tessera/array.hpp>

#include "array_model.hpp"

namespace tessera::test {

/// A small whole number, with an imaginary part if T is complex. @local
template <class T>
T small_value(index_t number) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(number % 11 - 5);
  else
    return {static_cast<typename T::value_type>(number % 11 - 5),
            static_cast<typename T::value_type>(number % 7 - 3)};
}

/// Sets every own element to a small value that depends on its place. @local
template <class T, std::size_t N>
void set_to_numbers(Array<T, N>& array, index_t salt = 0) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = small_value<T>(number_of(at, dims) * 13 + salt); });
}

}  // namespace tessera::test
