// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include <tessera/core/arithmetic.hpp>

#include "base/at.hpp"
#include "sparse/sparse_assembly.hpp"
#include "sparse/sparse_products.hpp"

namespace tessera::detail {
namespace {

using Range = SparsePattern::Range;
using Stretch = SparsePattern::Stretch;

// Some columns of the rows of B that this rank's rows need. Those of border rows are on their way until wait().
template <class T>
class FactorRows {
 public:
  FactorRows(const SparsePattern& pattern, const Array<T, 2>& b, const Range& columns)
      : own_({pattern.own_columns.size(), columns.size()}),
        border_({std::ssize(pattern.border_columns), columns.size()}) {
    for (const auto* stretches : {&pattern.far, &pattern.near}) {
      for (const Stretch& some : *stretches)
        border_rows_ +=
            b.get_async({{some.column, columns.begin}, {some.column + some.count, columns.end}},
                        View<T, 2>(border_.data() + some.place * columns.size(), {some.count, columns.size()}));
    }
    b.get({{pattern.own_columns.begin, columns.begin}, {pattern.own_columns.end, columns.end}}, own_);
    for (index_t k = pattern.own_border.begin; k < pattern.own_border.end; ++k) {
      const index_t row = pattern.border_columns[at(k)] - pattern.own_columns.begin;
      std::copy_n(own_.data() + row * columns.size(), columns.size(), border_.data() + k * columns.size());
    }
  }
  void wait() { border_rows_.wait(); }
  const T* for_inner() const noexcept { return own_.data(); }
  const T* for_border() const noexcept { return border_.data(); }

 private:
  LocalArray<T, 2> own_, border_;
  Request border_rows_;  // declared after border_, which it fills
};

template <class T>
void add_rows(const SparseRows<T>& a, const std::vector<Range>& rows, const T* factors, index_t width, T* c) {
  using S = sum_t<T>;
  std::vector<S> sums(at(width));
  for (const Range& some : rows) {
    for (index_t i = some.begin; i < some.end; ++i) {
      std::fill(sums.begin(), sums.end(), S{});
      S* to = sums.data();
      for (index_t k = a.pattern.begins[at(i)]; k < a.pattern.begins[at(i + 1)]; ++k) {
        const auto value = static_cast<S>(a.values[at(k)]);
        const T* from = factors + a.pattern.places[at(k)] * width;
        for (index_t j = 0; j < width; ++j) to[j] = sum(to[j], product(value, static_cast<S>(from[j])));
      }
      for (index_t j = 0; j < width; ++j) c[i * width + j] = static_cast<T>(to[j]);
    }
  }
}

}  // namespace

template <class T>
void multiply(const SparseRows<T>& a, const Array<T, 2>& b, Array<T, 2>& c) {
  const SparsePattern& pattern = a.pattern;
  const index_t width = b.dims()[1];
  // Some columns at a time, so that what is fetched and computed stays within some megabytes.
  constexpr index_t max_bytes = index_t{64} << 20;
  const index_t needed = std::max<index_t>(
      1, pattern.own_columns.size() + std::ssize(pattern.border_columns) + pattern.own_rows.size());
  const index_t wide =
      std::clamp<index_t>(max_bytes / (needed * index_t{sizeof(T)}), 1, std::max<index_t>(1, width));
  const bool apart = !SliceCore(b.core()).may_overlap(c.core());
  // When all have agreed, they have read b, which may be c.
  const auto results = made_in_memory(c.group(), "multiply", [&] {
    std::vector<std::pair<Patch<2>, LocalArray<T, 2>>> later;
    for (index_t begin = 0; begin < width; begin += wide) {
      const Range columns{begin, std::min(width, begin + wide)};
      FactorRows<T> factors(pattern, b, columns);
      LocalArray<T, 2> result({pattern.own_rows.size(), columns.size()});
      add_rows(a, pattern.inner, factors.for_inner(), columns.size(), result.data());
      factors.wait();
      add_rows(a, pattern.border, factors.for_border(), columns.size(), result.data());
      const Patch<2> patch{{pattern.own_rows.begin, columns.begin}, {pattern.own_rows.end, columns.end}};
      apart ? c.put(patch, result) : static_cast<void>(later.emplace_back(patch, std::move(result)));
    }
    return later;
  });
  for (const auto& [patch, result] : results) c.put(patch, result);
}

template void multiply(const SparseRows<std::int32_t>&, const Array<std::int32_t, 2>&, Array<std::int32_t, 2>&);
template void multiply(const SparseRows<std::int64_t>&, const Array<std::int64_t, 2>&, Array<std::int64_t, 2>&);
template void multiply(const SparseRows<float>&, const Array<float, 2>&, Array<float, 2>&);
template void multiply(const SparseRows<double>&, const Array<double, 2>&, Array<double, 2>&);
template void multiply(const SparseRows<std::complex<float>>&, const Array<std::complex<float>, 2>&,
                       Array<std::complex<float>, 2>&);
template void multiply(const SparseRows<std::complex<double>>&, const Array<std::complex<double>, 2>&,
                       Array<std::complex<double>, 2>&);

}  // namespace tessera::detail
