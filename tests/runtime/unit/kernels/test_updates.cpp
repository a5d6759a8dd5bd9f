// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comparison.hpp"
#include "kernels/elements.hpp"
#include "kernels/kernels.hpp"
#include "kernels/reduce_kernels.hpp"

// Kernels that combine elements.
namespace {

using namespace tessera;
using tessera::test::Comparison;

// A small number that depends on i and is never zero; the imaginary part is for complex kinds.
template <class T>
T small_number(index_t i) {
  const auto value = static_cast<int>(i * 37 % 17) - 8, re = value == 0 ? 9 : value;
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(re);
  else
    return {static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(i % 5 - 2)};
}

// Sums of several rows with and without a factor, and the scaling of one row.
template <class T>
void check_sum_kernels() {
  constexpr index_t n = 13, rows = 3, apart = 20;
  for (const T alpha : {T{1}, T{-3}, small_number<T>(1)}) {
    std::vector<T> to(rows * apart), from(rows * n);
    for (index_t i = 0; i < rows * apart; ++i) to[static_cast<std::size_t>(i)] = small_number<T>(i);
    for (index_t i = 0; i < rows * n; ++i) from[static_cast<std::size_t>(i)] = small_number<T>(i + 5);
    auto expected = to, scaled = to;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < n; ++i) expected[row * apart + i] += alpha * from[row * n + i];
    }
    constexpr auto size = index_t{sizeof(T)};
    detail::row_kernel(element_kind<T>(), Update::sum, &alpha)(to.data(), from.data(), n,
                                                               {rows, apart * size, n * size}, &alpha);
    EXPECT_EQ(to, expected) << to_string(element_kind<T>());
    expected = scaled;
    for (std::size_t i = 0; i < n; ++i) expected[i] *= alpha;
    detail::scale(element_kind<T>(), scaled.data(), n, &alpha);
    EXPECT_EQ(scaled, expected) << to_string(element_kind<T>());
    EXPECT_EQ(detail::is_one(element_kind<T>(), &alpha), alpha == T{1});
  }
  EXPECT_TRUE(detail::is_one(element_kind<T>(), detail::one(element_kind<T>())));
}

TEST(SumKernels, add_and_scale_rows_of_every_kind) {
  check_sum_kernels<std::int32_t>();
  check_sum_kernels<std::int64_t>();
  check_sum_kernels<float>();
  check_sum_kernels<double>();
  check_sum_kernels<std::complex<float>>();
  check_sum_kernels<std::complex<double>>();
}

// Both operands as NaN, and numbers of both orders.
template <class T>
void check_nan() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  constexpr ElementKind kind = element_kind<T>();
  for (const auto& [update, reduce] : {std::pair{Update::min, Reduce::min}, {Update::max, Reduce::max}}) {
    const bool least = update == Update::min;
    for (const auto& [y, x] : {std::pair<T, T>{2, 3}, {3, 2}, {nan, 1}, {1, nan}, {nan, nan}}) {
      const bool has_nan = std::isnan(y) || std::isnan(x);
      const T expected = least == (x < y) ? x : y;
      T by_row = y, by_fold = y, by_update = y, old = 0;
      detail::row_kernel(kind, update, nullptr)(&by_row, &x, 1, {}, detail::one(kind));
      detail::fold(kind, reduce)(&by_fold, &x, 1);
      detail::fetch_update(kind, update, &by_update, &x, &old);
      for (const T found : {by_row, by_fold, by_update}) {
        EXPECT_EQ(std::isnan(found), has_nan) << to_string(update) << " of " << y << " and " << x;
        EXPECT_TRUE(has_nan || found == expected) << to_string(update) << " of " << y << " and " << x;
      }
      EXPECT_TRUE(std::isnan(y) ? std::isnan(old) : old == y);
    }
  }
}

TEST(MinMaxKernels, nan_wins_against_every_number) {
  check_nan<float>();
  check_nan<double>();
}

template <class T>
void check_integer_folds() {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const std::vector<T> y{0, 0, 5, 12, most, -1}, x{0, 3, 0, 10, 1, least};
  const auto folded = [&](Reduce operation) {
    auto result = y;
    detail::fold(element_kind<T>(), operation)(result.data(), x.data(), static_cast<index_t>(y.size()));
    return result;
  };
  EXPECT_EQ(folded(Reduce::sum), (std::vector<T>{0, 3, 5, 22, least, most})) << "overflow wraps";
  EXPECT_EQ(folded(Reduce::product), (std::vector<T>{0, 0, 0, 120, most, least}));
  EXPECT_EQ(folded(Reduce::min), (std::vector<T>{0, 0, 0, 10, 1, least}));
  EXPECT_EQ(folded(Reduce::max), (std::vector<T>{0, 3, 5, 12, most, -1}));
  EXPECT_EQ(folded(Reduce::absmax), (std::vector<T>{0, 3, 5, 12, most, least})) << "a magnitude that wraps";
  EXPECT_EQ(folded(Reduce::absmin), (std::vector<T>{0, 0, 0, 10, 1, 1}));
  EXPECT_EQ(folded(Reduce::logical_and), (std::vector<T>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(folded(Reduce::logical_or), (std::vector<T>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(folded(Reduce::bit_and), (std::vector<T>{0, 0, 0, 8, 1, least}));
  EXPECT_EQ(folded(Reduce::bit_or), (std::vector<T>{0, 3, 5, 14, most, -1}));
  EXPECT_EQ(folded(Reduce::bit_xor), (std::vector<T>{0, 3, 5, 6, most - 1, most}));
}

TEST(Folds, of_integers_are_exact_and_wrap) {
  check_integer_folds<std::int32_t>();
  check_integer_folds<std::int64_t>();
}

TEST(Folds, exist_where_the_kind_has_the_operation) {
  for (const Reduce operation : {Reduce::sum, Reduce::product}) {
    EXPECT_NE(detail::fold(ElementKind::complex64, operation), nullptr);
    EXPECT_EQ(detail::fold(ElementKind::bytes, operation), nullptr);
  }
  EXPECT_EQ(detail::fold(ElementKind::complex128, Reduce::min), nullptr);
  EXPECT_NE(detail::fold(ElementKind::float32, Reduce::max), nullptr);
  EXPECT_EQ(detail::fold(ElementKind::float64, Reduce::bit_xor), nullptr);
  std::array<std::complex<double>, 2> y{{{1, 2}, {3, -1}}};
  const std::array<std::complex<double>, 2> x{{{0, 1}, {2, 2}}};
  detail::fold(ElementKind::complex128, Reduce::product)(y.data(), x.data(), 2);
  EXPECT_EQ(y, (std::array<std::complex<double>, 2>{{{-2, 1}, {8, 4}}}));
  y = {{{-3, 4}, {0, 1}}};
  detail::fold(ElementKind::complex128, Reduce::absmax)(y.data(), x.data(), 2);
  EXPECT_EQ(y, (std::array<std::complex<double>, 2>{{{5, 0}, {std::sqrt(8.0), 0}}}));
}

constexpr Update every_update[] = {Update::sum,    Update::min,     Update::max,    Update::bit_and,
                                   Update::bit_or, Update::bit_xor, Update::replace};

template <class T>
T updated_integer(Update update, T old, T given) {
  if (update == Update::sum) return old + given;
  if (update == Update::min) return std::min(old, given);
  if (update == Update::max) return std::max(old, given);
  if (update == Update::bit_and) return old & given;
  if (update == Update::bit_or) return old | given;
  if (update == Update::bit_xor) return old ^ given;
  return given;
}

// An element under a lock and a scalar by an atomic instruction must do the same.
template <class T>
void check_single_updates() {
  constexpr ElementKind kind = element_kind<T>();
  Comparison compared;
  for (const Update update : every_update) {
    for (index_t i = 0; i < 30; ++i) {
      const T before = small_number<T>(i), given = small_number<T>(i / 3 + 7);
      T element = before, old = 0, old_scalar = 0, loaded = 0;
      alignas(T) std::array<std::byte, sizeof(T)> scalar;
      std::memcpy(scalar.data(), &before, sizeof before);
      detail::fetch_update(kind, update, &element, &given, &old);
      detail::update_scalar(scalar.data(), kind, update, &given, &old_scalar);
      detail::load_scalar(scalar.data(), kind, &loaded);
      const std::pair where(update, i);
      compared(where, updated_integer(update, before, given), element);
      compared(where, updated_integer(update, before, given), loaded);
      compared(where, before, old);
      compared(where, before, old_scalar);
    }
  }
  EXPECT_TRUE(compared.equal()) << to_string(kind);
}

TEST(SingleUpdates, of_elements_and_scalars_return_the_old_value_and_do_the_same) {
  check_single_updates<std::int32_t>();
  check_single_updates<std::int64_t>();
}

TEST(SingleUpdates, compare_exchange_stores_only_over_the_expected_value) {
  alignas(64) std::array<std::byte, detail::LockStripes::bytes> table{};
  alignas(8) std::array<std::byte, 8> element{}, scalar{};
  const detail::Striped stripes{detail::LockStripes(table.data()), element.data(), 0};
  std::int64_t expected = 4;
  const std::int64_t desired = 9;
  EXPECT_FALSE(
      detail::compare_exchange_element(stripes, element.data(), ElementKind::int64, &expected, &desired));
  EXPECT_EQ(expected, 0);
  EXPECT_TRUE(
      detail::compare_exchange_element(stripes, element.data(), ElementKind::int64, &expected, &desired));
  EXPECT_EQ(expected, 0);
  expected = 4;
  EXPECT_FALSE(detail::compare_exchange_scalar(scalar.data(), ElementKind::int64, &expected, &desired));
  EXPECT_EQ(expected, 0);
  EXPECT_TRUE(detail::compare_exchange_scalar(scalar.data(), ElementKind::int64, &expected, &desired));
  for (const auto& place : {element, scalar}) {
    std::int64_t found = 0;
    std::memcpy(&found, place.data(), sizeof found);
    EXPECT_EQ(found, desired);
  }
}

}  // namespace
