// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

/// Every count, coordinate and byte offset: signed, 64 bits. @local
using index_t = std::int64_t;

/// The highest rank (number of dimensions) of an array, and the most levels of a strided transfer.
inline constexpr int max_rank = 8;

/// The kinds of elements that the compiled core knows: six arithmetic types, and bytes that are only moved.
enum class ElementKind : std::uint8_t { bytes, int32, int64, float32, float64, complex64, complex128 };

/// The name of a kind as messages and files spell it, such as "float64". @local
const char* to_string(ElementKind kind) noexcept;

/// The size in bytes of one element of an arithmetic kind; 1 for bytes. @local
constexpr index_t size_of(ElementKind kind) noexcept {
  constexpr std::array<index_t, 7> sizes{1, 4, 8, 4, 8, 8, 16};
  return sizes[static_cast<std::size_t>(kind)];
}

/// The kind that stands for T. @local
template <class T>
constexpr ElementKind element_kind() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::signed_integral<U> && sizeof(U) == 4) return ElementKind::int32;
  if constexpr (std::signed_integral<U> && sizeof(U) == 8) return ElementKind::int64;
  if constexpr (std::is_same_v<U, float>) return ElementKind::float32;
  if constexpr (std::is_same_v<U, double>) return ElementKind::float64;
  if constexpr (std::is_same_v<U, std::complex<float>>) return ElementKind::complex64;
  if constexpr (std::is_same_v<U, std::complex<double>>) return ElementKind::complex128;
  return ElementKind::bytes;
}

/// How a read-modify-write operation combines the old value with the given one. sum is for every arithmetic
/// kind, min and max for the real kinds, the bit operations for integers; replace takes the given value. A NaN
/// wins in min and max. In AtomicDomain::mpi, MPI's operators may lose the NaN.
enum class Update : std::uint8_t { sum, min, max, bit_and, bit_or, bit_xor, replace };

/// The name of an update, such as "bit_and". @local
const char* to_string(Update update) noexcept;

/// Whether an update is defined for a kind. @local
constexpr bool is_defined(Update update, ElementKind kind) noexcept {
  const bool integer = kind == ElementKind::int32 || kind == ElementKind::int64;
  const bool real = integer || kind == ElementKind::float32 || kind == ElementKind::float64;
  if (update == Update::sum || update == Update::replace) return kind != ElementKind::bytes;
  return update == Update::min || update == Update::max ? real : integer;
}

/// Anything that can be moved as bytes.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_const_v<T>;

/// An element that is read: const or not.
template <class T>
concept ReadableElement = Element<std::remove_const_t<T>>;

namespace detail {
template <class T>
inline constexpr bool has_arithmetic_kind = element_kind<T>() != ElementKind::bytes;
}  // namespace detail

/// The element types that accumulate and compute.
template <class T>
concept Arithmetic = Element<T> && detail::has_arithmetic_kind<T>;

/// The arithmetic types that are ordered: they have a minimum and a maximum.
template <class T>
concept RealElement = Arithmetic<T> && std::is_arithmetic_v<T>;

/// The arithmetic types with bit operations and compare_exchange.
template <class T>
concept IntegerElement = RealElement<T> && std::is_integral_v<T>;

}  // namespace tessera
