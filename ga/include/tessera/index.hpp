// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {

/// N signed 64-bit numbers, made from any integers; the common part of Index and Extents. @local
template <std::size_t N>
class Numbers {
  static_assert(N >= 1 && N <= static_cast<std::size_t>(max_rank), "arrays have 1 to 8 dimensions");

 public:
  constexpr Numbers() = default;
  /// @throws UsageError if a value does not fit 64 signed bits.
  template <std::integral... I>
  requires(sizeof...(I) == N) constexpr Numbers(I... values) : values_{narrow(values)...} {}
  constexpr explicit Numbers(const std::array<index_t, N>& values) : values_(values) {}

  constexpr index_t& operator[](std::size_t i) { return values_[i]; }
  constexpr index_t operator[](std::size_t i) const { return values_[i]; }
  constexpr const std::array<index_t, N>& values() const noexcept { return values_; }
  constexpr const index_t* data() const noexcept { return values_.data(); }
  constexpr const index_t* begin() const noexcept { return values_.data(); }
  constexpr const index_t* end() const noexcept { return values_.data() + N; }

 private:
  template <class I>
  static constexpr index_t narrow(I value) {
    if (!std::in_range<index_t>(value)) throw UsageError("an index does not fit 64 signed bits");
    return static_cast<index_t>(value);
  }
  std::array<index_t, N> values_{};
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

}  // namespace tessera
