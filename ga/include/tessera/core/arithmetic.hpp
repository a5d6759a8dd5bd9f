// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

// The operations of kernels on elements of each arithmetic type; everything is @local.
namespace tessera::detail {

/// The type of the parts of a complex number; a real type itself.
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// The type in which long sums of elements are computed. Those of float would stand still: 2^24 + 1 is 2^24.
template <class T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<float> {
  using type = double;
};
template <>
struct SumOf<std::complex<float>> {
  using type = std::complex<double>;
};
template <class T>
using sum_t = typename SumOf<T>::type;

/// The value that a pointer to unknown elements points to. @local
template <class T>
T value(const void* pointer) {
  T copy;
  std::memcpy(&copy, pointer, sizeof copy);
  return copy;
}

// Integers wrap on overflow, as elsewhere.
template <class T, class F>
T wrapping(F&& f, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}
constexpr auto plus = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
constexpr auto times = [](auto a, auto b) { return static_cast<decltype(a)>(a * b); };

template <class T>
T sum(T a, T b) {
  return wrapping<T>(plus, a, b);
}
template <class T>
T product(T a, T b) {
  return wrapping<T>(times, a, b);
}

template <class T>
constexpr bool is_ordered = std::is_arithmetic_v<T>;

/// Whether a number, or a part of it, is NaN. @local
template <class T>
bool is_nan(T x) noexcept {
  if constexpr (std::is_integral_v<T>)
    return false;
  else if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return is_nan(x.real()) || is_nan(x.imag());
}

/// The lesser and the greater of two; NaN if either is NaN. @local
template <class T>
T least(T a, T b) noexcept {
  return b < a || is_nan(b) ? b : a;
}
template <class T>
T greatest(T a, T b) noexcept {
  return a < b || is_nan(b) ? b : a;
}

template <class T>
T magnitude(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? wrapping<T>([](auto a, auto b) { return a - b; }, T{0}, x) : x;
  } else {
    return static_cast<T>(std::abs(x));
  }
}

/// A magnitude that can be compared: a real number, NaN if a part of x is NaN. That of an integer is unsigned,
/// as the most negative integer has no other. @local
template <class T>
auto comparable_magnitude(T x) noexcept {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(magnitude(x));
  else
    return is_nan(x) ? std::numeric_limits<decltype(std::abs(x))>::quiet_NaN() : std::abs(x);
}

template <class T>
T conjugate(T x) {
  return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

}  // namespace tessera::detail
