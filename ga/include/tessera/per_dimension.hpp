// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <type_traits>

#include <tessera/index.hpp>

namespace tessera {

namespace detail {

template <class V, class T>
inline constexpr bool both_are_flags_or_numbers = std::is_same_v<V, bool> == std::is_same_v<T, bool>;
/// A flag is made only from a flag, and a number only from a number.
template <class V, class T>
concept ConvertsTo = std::integral<V> && both_are_flags_or_numbers<V, T>;

}  // namespace detail

/// A value for each of N dimensions. It is made from one value for all of them, as in `.ghosts = 2`, or from
/// one for each, as in `.ghosts = {2, 0, 1}`. Another count in braces does not compile. @local
template <class T, std::size_t N>
class PerDimension {
 public:
  constexpr PerDimension() noexcept {}
  /// The same value for all dimensions.
  constexpr PerDimension(T all) { values_.fill(all); }
  /// Chosen for one value in braces, which then does not compile: it is unclear which dimension the value is
  /// for. (Always inlined, as GCC gives it the same symbol as the constructor above.)
  [[gnu::always_inline]] constexpr explicit PerDimension(T all) requires(N > 1) { values_.fill(all); }
  template <class V>
  requires(std::is_arithmetic_v<V> && !detail::ConvertsTo<V, T>) PerDimension(V)
  = delete;
  /// @throws UsageError if a value does not fit a T.
  template <detail::ConvertsTo<T>... V>
  requires(sizeof...(V) == N && N > 1) constexpr PerDimension(V... values) : values_{narrow(values)...} {}
  /// Takes a std::array or extents, not a list in braces, which might be shorter.
  template <class A>
  requires(std::same_as<A, std::array<T, N>> ||
           (std::same_as<A, Extents<N>> && std::same_as<T, index_t>)) constexpr PerDimension(const A& values) {
    std::copy(values.begin(), values.end(), values_.begin());
  }

  constexpr T& operator[](std::size_t d) { return values_[d]; }
  constexpr T operator[](std::size_t d) const { return values_[d]; }
  constexpr const std::array<T, N>& values() const noexcept { return values_; }
  constexpr const T* data() const noexcept { return values_.data(); }
  constexpr T* begin() noexcept { return values_.data(); }
  constexpr const T* begin() const noexcept { return values_.data(); }
  constexpr const T* end() const noexcept { return values_.data() + N; }
  friend constexpr bool operator==(const PerDimension&, const PerDimension&) = default;

 private:
  template <class V>
  static constexpr T narrow(V value) {
    if constexpr (!std::same_as<V, bool>) {
      if (!std::in_range<T>(value)) throw UsageError("a value for a dimension does not fit 64 signed bits");
    }
    return static_cast<T>(value);
  }
  std::array<T, N> values_{};
};

}  // namespace tessera
