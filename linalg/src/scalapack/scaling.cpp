// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

#include "format.hpp"

namespace tessera::linalg::detail {
namespace {

// Whether powers of these exponents, and products of two, are in range.
template <class R>
bool are_moderate(std::span<const int> exponents) {
  constexpr int most = std::numeric_limits<R>::max_exponent / 4;
  return std::ranges::all_of(exponents, [](int exponent) { return std::abs(exponent) <= most; });
}
template <class R>
std::vector<R> powers(std::span<const int> exponents, index_t count) {
  std::vector<R> powers(static_cast<std::size_t>(count), R{1});
  std::ranges::transform(exponents, powers.begin(), [](int exponent) { return std::ldexp(R{1}, exponent); });
  return powers;
}

}  // namespace

int to_one(double magnitude) { return magnitude == 0 ? 0 : -std::ilogb(magnitude); }

template <class T>
T times_power(T x, int exponent) {
  if constexpr (std::is_floating_point_v<T>)
    return std::ldexp(x, exponent);
  else
    return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
}
template float times_power(float, int);
template double times_power(double, int);
template std::complex<float> times_power(std::complex<float>, int);
template std::complex<double> times_power(std::complex<double>, int);

double largest_of(const SliceCore& a) {
  double largest = 0;
  with_scalar("largest_of", a, [&]<class T>(T) {
    for_each_element<const T>(
        a, [&](index_t, index_t, const T& x) { largest = std::max(largest, magnitude_of(x)); });
  });
  return a.array().group().all_reduce(largest, Reduce::max);
}

bool is_finite(const SliceCore& a) { return std::isfinite(largest_of(a)); }

double require_finite(std::string_view routine, const SliceCore& a, std::string name) {
  const double largest = largest_of(a);
  if (!std::isfinite(largest)) throw_not_finite(routine, a, std::move(name));
  return largest;
}

void throw_not_finite(std::string_view routine, const SliceCore& a, std::string name) {
  throw LinalgError(formatted("{}: {} holds NaN or infinity", routine, described(a)), std::move(name), 0);
}

std::vector<int> each_to_one(std::string_view routine, const SliceCore& a, int dimension, std::string name,
                             Counted counted) {
  std::vector<double> largest(static_cast<std::size_t>(a.extents()[static_cast<std::size_t>(dimension)]));
  const bool is_low = counted == Counted::lower || counted == Counted::below;
  const bool is_high = counted == Counted::upper || counted == Counted::above;
  const index_t least = counted == Counted::below || counted == Counted::above ? 1 : 0;
  with_scalar(routine, a, [&]<class T>(T) {
    for_each_element<const T>(a, [&](index_t i, index_t j, const T& x) {
      if ((is_low && i - j < least) || (is_high && j - i < least)) return;
      double& most = largest[static_cast<std::size_t>(dimension == 0 ? i : j)];
      most = std::max(most, magnitude_of(x));
    });
  });
  a.array().group().all_reduce(std::span<double>(largest), Reduce::max);
  std::vector<int> exponents;
  exponents.reserve(largest.size());
  for (const double most : largest) {
    if (!std::isfinite(most)) throw_not_finite(routine, a, std::move(name));
    exponents.push_back(to_one(most));
  }
  return exponents;
}

std::vector<int> each_to_one_of_scaled(std::string_view routine, const SliceCore& a, int dimension,
                                       std::span<const int> scales, std::string name) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::min(), infinite = -(none + 1);
  std::vector<std::int32_t> largest(static_cast<std::size_t>(a.extents()[static_cast<std::size_t>(dimension)]),
                                    none);
  with_scalar(routine, a, [&]<class T>(T) {
    for_each_element<const T>(a, [&](index_t i, index_t j, const T& x) {
      if (x == T{}) return;
      const double magnitude = magnitude_of(x);
      const index_t other = dimension == 0 ? j : i;
      const int scale = scales.empty() ? 0 : scales[static_cast<std::size_t>(other)];
      std::int32_t& most = largest[static_cast<std::size_t>(dimension == 0 ? i : j)];
      most = std::max(most, std::isfinite(magnitude) ? std::ilogb(magnitude) + scale : infinite);
    });
  });
  a.array().group().all_reduce(std::span<std::int32_t>(largest), Reduce::max);
  std::vector<int> exponents;
  exponents.reserve(largest.size());
  for (const std::int32_t most : largest) {
    if (most == infinite) throw_not_finite(routine, a, std::move(name));
    exponents.push_back(most == none ? 0 : -most);
  }
  return exponents;
}

std::vector<int> roots_to_one(const SliceCore& a) {
  std::vector<double> diagonal(static_cast<std::size_t>(a.extents()[0]));
  with_scalar("roots_to_one", a, [&]<class T>(T) {
    for_each_element<const T>(a, [&](index_t i, index_t j, const T& x) {
      const auto size = static_cast<double>(std::real(x));
      if (i == j && size > 0 && std::isfinite(size)) diagonal[static_cast<std::size_t>(i)] = size;
    });
  });
  a.array().group().all_reduce(std::span<double>(diagonal), Reduce::max);
  std::vector<int> exponents;
  exponents.reserve(diagonal.size());
  for (const double size : diagonal) exponents.push_back(to_one(size) / 2);
  return exponents;
}

Balance balance(const SliceCore& a) {
  constexpr int none = std::numeric_limits<int>::min(), most_sweeps = 64;
  const auto n = static_cast<std::size_t>(a.extents()[0]);
  Balance result{std::vector<int>(n), none};
  std::vector<int>& x = result.exponents;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    std::vector<std::int32_t> largest(2 * n + 1, none);  // of rows, of columns, of all
    with_scalar("balance", a, [&]<class T>(T) {
      for_each_element<const T>(a, [&](index_t row, index_t column, const T& element) {
        if (element == T{}) return;
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        const int exponent = std::ilogb(magnitude_of(element)) + x[j] - x[i];
        largest[2 * n] = std::max(largest[2 * n], exponent);
        if (i == j) return;
        largest[i] = std::max(largest[i], exponent), largest[n + j] = std::max(largest[n + j], exponent);
      });
    });
    a.array().group().all_reduce(std::span<std::int32_t>(largest), Reduce::max);
    result.largest = largest[2 * n];
    bool changes = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (largest[i] == none || largest[n + i] == none) continue;
      // All change at once, so each does half of what it would do alone.
      const int change = (largest[i] - largest[n + i]) / 4;
      x[i] += change;
      changes = changes || change != 0;
    }
    if (!changes) break;
  }
  if (result.largest == none) result.largest = 0;
  return result;
}

void apply(const Balance& balance, const SliceCore& a) {
  const std::vector<int>& x = balance.exponents;
  with_scalar("balance", a, [&]<class T>(T) {
    for_each_element<T>(a, [&](index_t i, index_t j, T& element) {
      element = times_power(element,
                            x[static_cast<std::size_t>(j)] - x[static_cast<std::size_t>(i)] - balance.largest);
    });
  });
}

std::vector<int> negated(std::vector<int> exponents) {
  for (int& exponent : exponents) exponent = -exponent;
  return exponents;
}

void scale_by(const SliceCore& a, int exponent) {
  if (exponent == 0) return;
  with_scalar("scale_by", a, [&]<class T>(T) {
    if (!are_moderate<Real<T>>({&exponent, 1}))
      return for_each_element<T>(a, [&](index_t, index_t, T& x) { x = times_power(x, exponent); });
    const Real<T> power = std::ldexp(Real<T>{1}, exponent);
    for_each_element<T>(a, [&](index_t, index_t, T& x) { x *= power; });
  });
}

void scale_all(const SliceCore& a, int exponent, std::span<const int> scales) {
  if (scales.empty()) return scale_by(a, exponent);
  std::vector<int> rows(scales.begin(), scales.end());
  for (int& row : rows) row += exponent;
  scale_by(a, rows, scales);
}

void scale_by(const SliceCore& a, std::span<const int> rows, std::span<const int> columns) {
  with_scalar("scale_by", a, [&]<class T>(T) {
    using R = Real<T>;
    if (!are_moderate<R>(rows) || !are_moderate<R>(columns)) {
      const auto exponent = [](std::span<const int> exponents, index_t i) {
        return exponents.empty() ? 0 : exponents[static_cast<std::size_t>(i)];
      };
      return for_each_element<T>(
          a, [&](index_t i, index_t j, T& x) { x = times_power(x, exponent(rows, i) + exponent(columns, j)); });
    }
    const std::vector<R> of_rows = powers<R>(rows, a.extents()[0]),
                         of_columns = powers<R>(columns, a.extents()[1]);
    for_each_element<T>(a, [&](index_t i, index_t j, T& x) {
      x *= of_rows[static_cast<std::size_t>(i)] * of_columns[static_cast<std::size_t>(j)];
    });
  });
}

}  // namespace tessera::linalg::detail
