// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <tessera/detail/whole_array_core.hpp>

#include "dispatch.hpp"

namespace tessera::detail {
namespace {

constexpr index_t lanes = 8;  // independent partial sums, so that the loop vectorises and rounds less

template <class T, class F>
T sum_over(index_t n, F&& term) {
  T partial[lanes]{};
  index_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (index_t lane = 0; lane < lanes; ++lane) partial[lane] += term(i + lane);
  }
  for (; i < n; ++i) partial[i % lanes] += term(i);
  T sum{};
  for (const T& each : partial) sum += each;
  return sum;
}

template <class T>
T conjugate(T x) {
  return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

// The value that leaves every other unchanged under an operation.
template <class T>
T identity(Reduce operation) {
  using Limits = std::numeric_limits<T>;
  switch (operation) {
    case Reduce::product:
    case Reduce::logical_and:
      return T{1};
    case Reduce::min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Reduce::max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Reduce::bit_and:
      return static_cast<T>(-1);
    default:
      return T{0};
  }
}

template <class T>
T combine(Reduce operation, T a, T b) {
  if (operation == Reduce::sum) return static_cast<T>(a + b);
  if (operation == Reduce::product) return static_cast<T>(a * b);
  if constexpr (!std::is_same_v<T, std::complex<typename RealOf<T>::type>>) {
    if (operation == Reduce::min) return b < a ? b : a;
    if (operation == Reduce::max) return a < b ? b : a;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Reduce::logical_and:
        return a != 0 && b != 0;
      case Reduce::logical_or:
        return a != 0 || b != 0;
      case Reduce::bit_and:
        return a & b;
      case Reduce::bit_or:
        return a | b;
      case Reduce::bit_xor:
        return a ^ b;
      default:
        break;
    }
  }
  throw UsageError(fmt::format("reduce: {} is not defined for these elements", to_string(operation)));
}

}  // namespace

void dot(const ArrayCore& x, const ArrayCore& y, void* result) {
  begin_operation("dot", {&x, &y});
  with_kind(x.type().kind, "dot", [&]<class T>(T) {
    T sum{};
    const ArrayCore* sources[] = {&y};
    for_each_run(x, sources, [&](void* a, const void* const* b, index_t n) {
      const T *u = static_cast<const T*>(a), *v = static_cast<const T*>(b[0]);
      sum += sum_over<T>(n, [&](index_t i) { return conjugate(u[i]) * v[i]; });
    });
    sum = x.group().all_reduce(sum, Reduce::sum);
    std::memcpy(result, &sum, sizeof sum);
  });
}

double norm(const ArrayCore& a, Norm which) {
  begin_operation("norm", {&a});
  return with_kind(a.type().kind, "norm", [&]<class T>(T) {
    const T* x = static_cast<const T*>(a.local_data());
    const index_t n = a.local_shape().size;
    auto magnitude = [&](index_t i) {
      // The most negative integer has no magnitude in its own type.
      if constexpr (std::is_integral_v<T>) {
        return std::abs(static_cast<double>(x[i]));
      } else {
        return static_cast<double>(std::abs(x[i]));
      }
    };
    if (which == Norm::infinity) {
      double most = 0;
      // Not std::max: a NaN must come through.
      for (index_t i = 0; i < n; ++i) {
        if (!(magnitude(i) <= most)) most = magnitude(i);
        if (std::isnan(most)) break;
      }
      const double nan = a.group().all_reduce(std::isnan(most) ? 1.0 : 0.0, Reduce::max);
      most = a.group().all_reduce(std::isnan(most) ? 0.0 : most, Reduce::max);
      return nan > 0 ? std::numeric_limits<double>::quiet_NaN() : most;
    }
    if (which == Norm::one) return a.group().all_reduce(sum_over<double>(n, magnitude), Reduce::sum);
    auto square = [&](index_t i) { return magnitude(i) * magnitude(i); };
    return std::sqrt(a.group().all_reduce(sum_over<double>(n, square), Reduce::sum));
  });
}

void reduce(const ArrayCore& a, Reduce operation, void* result) {
  begin_operation("reduce", {&a});
  with_kind(a.type().kind, "reduce", [&]<class T>(T) {
    const T* x = static_cast<const T*>(a.local_data());
    T value = combine(operation, identity<T>(operation),
                      identity<T>(operation));  // throws alike where nobody has elements
    for (index_t i = 0; i < a.local_shape().size; ++i) value = combine(operation, value, x[i]);
    value = a.group().all_reduce(value, operation);
    std::memcpy(result, &value, sizeof value);
  });
}

}  // namespace tessera::detail
