// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tessera/core/arithmetic.hpp>
#include <tessera/runtime/types.hpp>

// The inner loop of sparse products. Sums of float are computed in double. The order of the additions of a row
// is the same for all numbers of rows.
namespace tessera::detail {

/// The sums of a row's products at even and at odd places. There are two, as each addition waits for the last
/// one of its sum.
template <class T>
struct TwoSums {
  using S = sum_t<T>;
  S even{}, odd{};
  void add(const T* values, S even_factor, S odd_factor) {
    even = sum(even, product(static_cast<S>(values[0]), even_factor));
    odd = sum(odd, product(static_cast<S>(values[1]), odd_factor));
  }
  void add_last(T value, S factor) { even = sum(even, product(static_cast<S>(value), factor)); }
  S total() const { return sum(even, odd); }
};

/// One instruction adds to both sums.
template <std::floating_point T>
struct TwoSums<T> {
  using S = sum_t<T>;
  using Two __attribute__((vector_size(2 * sizeof(S)))) = S;
  Two sums{};
  void add(const T* values, S even_factor, S odd_factor) {
    Two two;
    if constexpr (std::is_same_v<S, T>)
      std::memcpy(&two, values, sizeof two);
    else
      two = Two{static_cast<S>(values[0]), static_cast<S>(values[1])};
    sums += two * Two{even_factor, odd_factor};
  }
  void add_last(T value, S factor) { sums[0] += static_cast<S>(value) * factor; }
  S total() const { return sums[0] + sums[1]; }
};

/// Asks for memory some KiB ahead. The processor does so itself only while a loop reads one row after the
/// other.
inline void prefetch_ahead(const void* from, index_t bytes) {
  constexpr index_t ahead = 8192, line = 64;
  const char* const first = static_cast<const char*>(from) + ahead;
  for (index_t k = 0; k < bytes; k += line) __builtin_prefetch(first + k);
}

/// The sums of `rows` rows of `count` elements at the same places. Their values follow one another. @local
template <std::size_t rows, class T>
std::array<sum_t<T>, rows> row_sums(const T* values, const std::int32_t* places, index_t count,
                                    const T* factors) {
  if (rows > 1) {
    prefetch_ahead(values, count * static_cast<index_t>(rows * sizeof(T)));
    prefetch_ahead(places, count * static_cast<index_t>(sizeof *places));
  }
  std::array<TwoSums<T>, rows> sums;
  index_t k = 0;
  for (; k + 1 < count; k += 2) {
    const auto even = static_cast<sum_t<T>>(factors[places[k]]),
               odd = static_cast<sum_t<T>>(factors[places[k + 1]]);
    for (std::size_t r = 0; r < rows; ++r) sums[r].add(values + static_cast<index_t>(r) * count + k, even, odd);
  }
  if (k < count) {
    const auto last = static_cast<sum_t<T>>(factors[places[k]]);
    for (std::size_t r = 0; r < rows; ++r) sums[r].add_last(values[static_cast<index_t>(r) * count + k], last);
  }
  std::array<sum_t<T>, rows> totals;
  for (std::size_t r = 0; r < rows; ++r) totals[r] = sums[r].total();
  return totals;
}

}  // namespace tessera::detail
