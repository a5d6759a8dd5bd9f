// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <tessera/detail/operations.hpp>

#include "arithmetic.hpp"
#include "combine.hpp"
#include "dispatch.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t lanes = 8;  // independent partial sums, so that the loop vectorises and rounds less

template <class T, class F>
T sum_over(index_t n, F&& term) {
  T partial[lanes]{};
  index_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (index_t lane = 0; lane < lanes; ++lane) partial[lane] = sum(partial[lane], term(i + lane));
  }
  for (; i < n; ++i) partial[i % lanes] = sum(partial[i % lanes], term(i));
  T total{};
  for (const T& each : partial) total = sum(total, each);
  return total;
}

// The sum of term(x) over the elements of a slice that this rank owns.
template <class S, class T, class F>
S local_sum(const SliceCore& a, F&& term) {
  S total{};
  for_each_run(a, {}, [&](const ElementRun& run) {
    const T* x = static_cast<const T*>(run.data[0]);
    const index_t step = run.strides[0];
    total = sum(total, step == 1 ? sum_over<S>(run.count, [&](index_t i) { return term(x[i]); })
                                 : sum_over<S>(run.count, [&](index_t i) { return term(x[i * step]); }));
  });
  return total;
}

// Before all others: NaN is both the least and the greatest.
template <class T>
bool precedes(Extreme which, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return which == Extreme::least ? a < b : b < a;
}

}  // namespace

void dot(const SliceCore& x, const SliceCore& y, Conjugate first, void* result) {
  begin_operation("dot", {x, y});
  with_kind(x.array().type().kind, "dot", [&]<class T>(T) {
    T total{};
    for_each_run(x, std::span(&y, 1), [&](const ElementRun& run) {
      const T *u = static_cast<const T*>(run.data[0]), *v = static_cast<const T*>(run.data[1]);
      const index_t p = run.strides[0], q = run.strides[1];
      const bool dense = run.is_dense(2), conjugated = first == Conjugate::yes;
      auto term = [&](index_t i) {
        return dense ? product(conjugated ? conjugate(u[i]) : u[i], v[i])
                     : product(conjugated ? conjugate(u[i * p]) : u[i * p], v[i * q]);
      };
      total = sum(total, sum_over<T>(run.count, term));
    });
    total = x.array().group().all_reduce(total, Reduce::sum);
    std::memcpy(result, &total, sizeof total);
  });
}

double norm(const SliceCore& a, Norm which) {
  begin_operation("norm", {a});
  const Group& group = a.array().group();
  return with_kind(a.array().type().kind, "norm", [&]<class T>(T) {
    auto size_of_element = [](const T& x) {
      // The most negative integer has no magnitude in its own type.
      if constexpr (std::is_integral_v<T>) {
        return std::abs(static_cast<double>(x));
      } else {
        return static_cast<double>(std::abs(x));
      }
    };
    if (which == Norm::infinity) {
      double most = 0, nan = 0;
      for_each_run(a, {}, [&](const ElementRun& run) {
        apply<const T>(run, [&](const T& x) {
          const double size = size_of_element(x);
          if (size > most) most = size;
          if (std::isnan(size)) nan = 1;
        });
      });
      nan = group.all_reduce(nan, Reduce::max);
      most = group.all_reduce(most, Reduce::max);
      return nan > 0 ? std::numeric_limits<double>::quiet_NaN() : most;
    }
    if (which == Norm::one) return group.all_reduce(local_sum<double, T>(a, size_of_element), Reduce::sum);
    auto square = [&](const T& x) { return size_of_element(x) * size_of_element(x); };
    return std::sqrt(group.all_reduce(local_sum<double, T>(a, square), Reduce::sum));
  });
}

void reduce(const SliceCore& a, Reduce operation, void* result) {
  begin_operation("reduce", {a});
  with_kind(a.array().type().kind, "reduce", [&]<class T>(T) {
    T total = combine(operation, identity<T>(operation),
                      identity<T>(operation));  // throws alike where nobody has elements
    if (operation == Reduce::sum) {
      total = local_sum<T, T>(a, [](const T& x) { return x; });
    } else {
      for_each_run(a, {}, [&](const ElementRun& run) {
        apply<const T>(run, [&](const T& x) { total = combine(operation, total, x); });
      });
    }
    total = a.array().group().all_reduce(total, operation);
    std::memcpy(result, &total, sizeof total);
  });
}

void extreme(const SliceCore& a, Extreme which, void* value, index_t* at) {
  const char* name = which == Extreme::least ? "min_element" : "max_element";
  begin_operation(name, {a});
  if (a.size() == 0) throw UsageError(formatted("{}: {} has no elements", name, a.description()));
  with_kind(a.array().type().kind, name, [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T>) {
      struct Found {
        T value;
        index_t number;  // in row-major order; of equals the first
      };
      Found best{{}, -1};
      auto take = [&](const Found& next) {
        const bool better = best.number < 0 || precedes(which, next.value, best.value) ||
                            (!precedes(which, best.value, next.value) && next.number < best.number);
        if (next.number >= 0 && better) best = next;
      };
      for_each_placed_run(a, [&](const PlacedRun& run) {
        const auto [number, step] = run.numbers(a);
        const T* x = static_cast<const T*>(run.data[0]);
        for (index_t i = 0; i < run.count; ++i) {
          // Looked at closely only if it may be the one.
          const T here = x[i * run.strides[0]];
          if (best.number < 0 || !precedes(which, best.value, here)) take({here, number + i * step});
        }
      });
      for (const Found& theirs : a.array().group().all_gather(best)) take(theirs);
      std::memcpy(value, &best.value, sizeof best.value);
      for (int d = a.rank() - 1; d >= 0; --d) {
        const index_t extent = a.extents()[static_cast<std::size_t>(d)];
        at[d] = best.number % extent;
        best.number /= extent;
      }
    } else {
      throw UsageError(formatted("{}: complex numbers ({}) have no order", name, a.description()));
    }
  });
}

}  // namespace tessera::detail
