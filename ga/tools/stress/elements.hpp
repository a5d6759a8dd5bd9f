// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <type_traits>

#include "model.hpp"

namespace tessera::stress {

/// A number of the model as an element of an array, and back. A structure gets no number, since it has several.
template <class T>
T element(const Number& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value.real());
  else if constexpr (!requires { typename T::value_type; })
    return T{};
  else
    return {static_cast<typename T::value_type>(value.real()),
            static_cast<typename T::value_type>(value.imag())};
}
template <class T>
Number number(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return {static_cast<double>(value), 0};
  else
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
}

}  // namespace tessera::stress
