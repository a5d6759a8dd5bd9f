// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/core/reduce_values.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/dispatch.hpp"
#include "base/made_in_memory.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t lanes = 8;  // independent partial results, so that the loop vectorises, and sums round less

// The sum of so many terms.
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

// NaN precedes all numbers: it is both the least and the greatest.
template <class T>
bool precedes(Extreme which, T a, T b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && !is_nan(b);
  return which == Extreme::least ? a < b : b < a;
}

// The sum over the elements of x that this rank owns, in numbers of type S.
template <class S, class T>
S own_dot_of(const SliceCore& x, const SliceCore& y, bool conjugated) {
  S total{};
  for_each_run(x, std::span(&y, 1), [&](const ElementRun& run) {
    const T *u = static_cast<const T*>(run.data[0]), *v = static_cast<const T*>(run.data[1]);
    const index_t p = run.strides[0], q = run.strides[1];
    const auto term = [conjugated](T a, T b) {
      const S left = static_cast<S>(a), right = static_cast<S>(b);
      return product(conjugated ? conjugate(left) : left, right);
    };
    // Two loops: one loop that chooses within takes a sixth longer.
    total = sum(total, run.is_dense(2)
                           ? sum_over<S>(run.count, [&](index_t i) { return term(u[i], v[i]); })
                           : sum_over<S>(run.count, [&](index_t i) { return term(u[i * p], v[i * q]); }));
  });
  return total;
}

}  // namespace

void dot(const SliceCore& x, const SliceCore& y, Conjugate first, void* result) {
  const Phase phase(x.array().group(), "dot");
  begin_operation("dot", {x, y});
  with_kind(x.type().kind, "dot", [&]<class T>(T) {
    const auto own = own_dot_of<sum_t<T>, T>(x, y, first == Conjugate::yes);
    const auto total = static_cast<T>(x.array().group().all_reduce(own, Reduce::sum));
    std::memcpy(result, &total, sizeof total);
  });
}

std::complex<double> own_dot(const SliceCore& x, const SliceCore& y) {
  return with_kind(x.type().kind, "dot", [&]<class T>(T) {
    using S = std::conditional_t<std::is_arithmetic_v<T>, double, std::complex<double>>;
    return std::complex<double>(own_dot_of<S, T>(x, y, true));
  });
}

namespace {

// A sum of squares in three parts: of numbers as they are, of large numbers divided by `unit`, and of small
// numbers multiplied by `unit`. So no square overflows or underflows. After Blue, A portable Fortran program to
// find the Euclidean norm of a vector, TOMS 1978, but by runs instead of elements.
struct SumOfSquares {
  static constexpr double unit = 0x1p600;
  double middle = 0, large = 0, small = 0;

  template <class T>
  void add(const T* x, index_t count, index_t step) {
    auto squares = [&](double factor) {
      return sum_over<double>(count, [&](index_t i) {
        const double number = static_cast<double>(x[i * step]) * factor;
        return number * number;
      });
    };
    const double plain = squares(1);
    // Squares of float and of integers are far inside the range.
    if (!std::is_same_v<T, double> || (plain <= 0x1p900 && plain >= 0x1p-900))
      middle += plain;
    else if (plain < 0x1p-900)
      small += squares(unit);
    else
      large += squares(1 / unit);  // NaN, too
  }
  double root() const noexcept {
    if (large != 0) return unit * std::sqrt(large + middle / unit / unit);
    if (middle != 0) return std::sqrt(middle + small / unit / unit);
    return std::sqrt(small) / unit;
  }
};

template <class T>
double norm2_of(const SliceCore& a) {
  SumOfSquares total;
  for_each_run(a, {}, [&](const ElementRun& run) {
    if constexpr (std::is_arithmetic_v<T>) {
      total.add(static_cast<const T*>(run.data[0]), run.count, run.strides[0]);
    } else {
      const auto* parts = static_cast<const typename T::value_type*>(run.data[0]);
      const index_t step = run.strides[0];
      if (step == 1) return total.add(parts, 2 * run.count, 1);
      total.add(parts, run.count, 2 * step);
      total.add(parts + 1, run.count, 2 * step);
    }
  });
  double parts[] = {total.middle, total.large, total.small};
  a.array().group().all_reduce(std::span<double>(parts), Reduce::sum);
  return SumOfSquares{parts[0], parts[1], parts[2]}.root();
}

template <class T>
double size_of_element(const T& x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(x);
  else
    return static_cast<double>(comparable_magnitude(static_cast<sum_t<T>>(x)));
}

// The largest of numbers that are not negative; NaN if one of them is NaN. IEEE numbers without a sign are in
// the order of their bits, and NaN comes last: so the loop needs no other look at NaN.
class LargestMagnitude {
 public:
  template <class F>
  void add(index_t count, F&& number) {
    const auto bits = [&](index_t i) { return std::bit_cast<std::uint64_t>(number(i)); };
    // Four partial results, as one would make each comparison wait for the one before.
    std::uint64_t a = most_, b = 0, c = 0, d = 0;
    index_t i = 0;
    for (; i + 4 <= count; i += 4) {
      a = std::max(a, bits(i));
      b = std::max(b, bits(i + 1));
      c = std::max(c, bits(i + 2));
      d = std::max(d, bits(i + 3));
    }
    for (; i < count; ++i) a = std::max(a, bits(i));
    most_ = std::max({a, b, c, d});
  }
  double value() const { return std::bit_cast<double>(most_); }

 private:
  std::uint64_t most_ = 0;
};

}  // namespace

double norm(const SliceCore& a, Norm which) {
  const Phase phase(a.array().group(), "norm");
  begin_operation("norm", {a});
  const Group& group = a.array().group();
  return with_kind(a.type().kind, "norm", [&]<class T>(T) {
    if (which == Norm::two) return norm2_of<T>(a);
    if (which == Norm::one) return group.all_reduce(local_sum<double, T>(a, size_of_element<T>), Reduce::sum);
    LargestMagnitude largest;
    for_each_run(a, {}, [&](const ElementRun& run) {
      const T* x = static_cast<const T*>(run.data[0]);
      const index_t step = run.strides[0];
      step == 1 ? largest.add(run.count, [&](index_t i) { return size_of_element(x[i]); })
                : largest.add(run.count, [&](index_t i) { return size_of_element(x[i * step]); });
    });
    return group.all_reduce(largest.value(), Reduce::max);
  });
}

double matrix_norm(const SliceCore& a, MatrixNorm which) {
  if (which == MatrixNorm::frobenius) return norm(a, Norm::two);
  begin_operation("matrix_norm", {a});
  const std::size_t numbers = which == MatrixNorm::column_sum ? 1 : 0;  // the dimension that numbers the sums
  auto sums = made_in_memory(a.array().group(), "matrix_norm", [&] {
    return std::vector<double>(static_cast<std::size_t>(a.extents()[numbers]));
  });
  with_kind(a.type().kind, "matrix_norm", [&]<class T>(T) {
    for_each_placed_run(a, [&](const PlacedRun& run) {
      const T* x = static_cast<const T*>(run.data[0]);
      const index_t step = run.strides[0];
      double* first = &sums[static_cast<std::size_t>(run.at[numbers])];
      if (run.along == static_cast<int>(numbers)) {
        for (index_t i = 0; i < run.count; ++i) first[i] += size_of_element(x[i * step]);
      } else {
        *first += sum_over<double>(run.count, [&](index_t i) { return size_of_element(x[i * step]); });
      }
    });
  });
  a.array().group().all_reduce(std::span<double>(sums), Reduce::sum);
  return std::accumulate(sums.begin(), sums.end(), 0.0, greatest<double>);
}

void reduce(const SliceCore& a, Reduce operation, void* result) {
  const Phase phase(a.array().group(), "reduce");
  begin_operation("reduce", {a});
  with_kind(a.type().kind, "reduce", [&]<class T>(T) {
    T total = combine(operation, identity<T>(operation),
                      identity<T>(operation));  // throws alike if no rank has elements
    const Group& group = a.array().group();
    if (operation == Reduce::sum) {
      const auto own = local_sum<sum_t<T>, T>(a, [](const T& x) { return static_cast<sum_t<T>>(x); });
      total = static_cast<T>(group.all_reduce(own, operation));
    } else {
      for_each_run(a, {}, [&](const ElementRun& run) {
        apply<const T>(run, [&](const T& x) { total = combine(operation, total, x); });
      });
      total = group.all_reduce(total, operation);
    }
    std::memcpy(result, &total, sizeof total);
  });
}

void extreme(const SliceCore& a, Extreme which, void* value, index_t* at) {
  const Phase phase(a.array().group(), "extreme");
  const char* name = which == Extreme::least ? "min_element" : "max_element";
  begin_operation(name, {a});
  if (a.size() == 0) throw UsageError(formatted("{}: {} has no elements", name, a.description()));
  with_kind(a.type().kind, name, [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T>) {
      struct FoundExtreme {
        T value;
        index_t number;  // in row-major order; the first of equal elements
      };
      FoundExtreme best{{}, -1};
      auto take = [&](const FoundExtreme& next) {
        const bool better = best.number < 0 || precedes(which, next.value, best.value) ||
                            (!precedes(which, best.value, next.value) && next.number < best.number);
        if (next.number >= 0 && better) best = next;
      };
      for_each_placed_run(a, [&](const PlacedRun& run) {
        const auto [number, step] = run.numbers(a);
        const T* x = static_cast<const T*>(run.data[0]);
        for (index_t i = 0; i < run.count; ++i) {
          // A cheap test first: only a candidate is compared in full.
          const T here = x[i * run.strides[0]];
          if (best.number < 0 || !precedes(which, best.value, here)) take({here, number + i * step});
        }
      });
      for (const FoundExtreme& theirs : a.array().group().all_gather(best)) take(theirs);
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
