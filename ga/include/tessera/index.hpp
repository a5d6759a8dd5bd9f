// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {

/// N integers, made from N values of any integer type; the base of Index, Extents and DimensionOrder. @local
template <std::size_t N, class T = index_t>
class Numbers {
  static_assert(N >= 1 && N <= static_cast<std::size_t>(max_rank), "arrays have 1 to 8 dimensions");

 public:
  constexpr Numbers() = default;
  /// @throws UsageError if a value does not fit a T.
  template <std::integral... I>
  requires(sizeof...(I) == N) constexpr Numbers(I... values) : values_{narrow(values)...} {}
  constexpr explicit Numbers(const std::array<T, N>& values) : values_(values) {}

  constexpr T& operator[](std::size_t i) { return values_[i]; }
  constexpr T operator[](std::size_t i) const { return values_[i]; }
  constexpr const std::array<T, N>& values() const noexcept { return values_; }
  constexpr const T* data() const noexcept { return values_.data(); }
  constexpr const T* begin() const noexcept { return values_.data(); }
  constexpr const T* end() const noexcept { return values_.data() + N; }

 private:
  template <class I>
  static constexpr T narrow(I value) {
    if (!std::in_range<T>(value)) {
      throw UsageError(std::same_as<T, index_t> ? "an index does not fit 64 signed bits"
                                                : "the number of a dimension does not fit an int");
    }
    return static_cast<T>(value);
  }
  std::array<T, N> values_{};
};

}  // namespace detail

/// A size: the number of elements in each of N dimensions. @local
template <std::size_t N>
class Extents : public detail::Numbers<N> {
 public:
  using detail::Numbers<N>::Numbers;
  /// The product of all extents. @local
  constexpr index_t size() const noexcept {
    index_t product = 1;
    for (index_t extent : *this) product *= extent;
    return product;
  }
  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    return a.values() == b.values();
  }
};

}  // namespace tessera

/// As a range, Extents have N elements: the extents. Their size() is another number, which ranges must not
/// take.
template <std::size_t N>
inline constexpr bool std::ranges::disable_sized_range<tessera::Extents<N>> = true;

namespace tessera {

/// A position: zero-based coordinates in N dimensions. @local
template <std::size_t N>
class Index : public detail::Numbers<N> {
 public:
  using detail::Numbers<N>::Numbers;
  friend constexpr bool operator==(const Index& a, const Index& b) noexcept { return a.values() == b.values(); }
  friend constexpr Index operator+(Index a, const Extents<N>& by) noexcept {
    for (std::size_t d = 0; d < N; ++d) a[d] += by[d];
    return a;
  }
  friend constexpr Extents<N> operator-(const Index& a, const Index& b) noexcept {
    Extents<N> difference;
    for (std::size_t d = 0; d < N; ++d) difference[d] = a[d] - b[d];
    return difference;
  }
};

/// A permutation of the dimensions of an array: dimension order[d] becomes dimension d. It does not compile
/// unless N dimensions are given. @local
template <std::size_t N>
class DimensionOrder : public detail::Numbers<N, int> {
 public:
  using detail::Numbers<N, int>::Numbers;
  /// Takes a std::array, not a list in braces, which might be shorter.
  template <std::same_as<std::array<int, N>> A>
  constexpr DimensionOrder(const A& order) : detail::Numbers<N, int>(order) {}
};

/// Stands for all indices of a dimension in `t(i, all, j, all)`. @local
struct All {};
namespace placeholders {
inline constexpr All all{};
}

namespace detail {

/// The index at which a dimension is held, if it is.
inline std::optional<index_t> held(All) noexcept { return {}; }
template <std::integral I>
std::optional<index_t> held(I at) {
  return Index<1>(at)[0];
}

/// How many dimensions are left of those that are held at indices or stand for all.
template <class... I>
inline constexpr std::size_t dimensions_left = (std::size_t{std::is_same_v<I, All>} + ... + 0);
template <std::size_t N, class... I>
inline constexpr bool hold_some = (sizeof...(I) == N) && (dimensions_left<I...> > 0) &&
                                  ((std::integral<I> || std::is_same_v<I, All>)&&...);

}  // namespace detail

}  // namespace tessera
