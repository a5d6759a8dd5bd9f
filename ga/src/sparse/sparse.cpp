// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/sparse.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/core/axis.hpp>
#include <tessera/core/operand_walk.hpp>

#include "base/arithmetic.hpp"
#include "base/at.hpp"
#include "format.hpp"

namespace tessera {

using detail::at;
using detail::product;
using detail::sum;

// One rank's share of a matrix.
template <Arithmetic T>
struct SparseMatrix<T>::Assembled {
  std::vector<index_t> begins, columns;
  std::vector<T> values;
};

namespace {

// An irregular layout with `mine` elements on each rank.
Layout<1> counted(const Group& group, index_t mine) {
  const auto counts = group.all_gather(mine);
  std::vector<index_t> starts(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  return Layout<1>::irregular(Extents<1>(starts.back() + counts.back()), {starts}, group.size());
}

// The number of a rank's first element, or where it would be if the rank has none.
template <class T>
index_t begin_of(const Array<T, 1>& array, int rank) {
  return array.core().layout().grid()->axis(0).interval(rank, 0).begin;
}

template <class T>
void require_triplets(const Group& group, index_t rows, index_t columns, std::span<const Triplet<T>> triplets,
                      std::string_view name) {
  std::string problem;
  if (rows < 0 || columns < 0) problem = formatted("has the extents {} x {}", rows, columns);
  for (const Triplet<T>& t : triplets) {
    const bool inside = t.row >= 0 && t.row < rows && t.column >= 0 && t.column < columns;
    if (!inside && problem.empty())
      problem = formatted("of extents {} x {} is given element ({}, {})", rows, columns, t.row, t.column);
  }
  if (!problem.empty()) problem = formatted("sparse matrix \"{}\" {}", name, problem);
  if (problem = group.agree(problem); !problem.empty()) throw UsageError(problem);
}

// The triplets of this rank's rows from all ranks, in the order of the ranks.
template <class T>
std::vector<Triplet<T>> exchange(const Group& group, const detail::Axis& rows,
                                 std::span<const Triplet<T>> triplets) {
  const int ranks = group.size(), me = group.rank();
  std::vector<std::vector<Triplet<T>>> to(at(ranks));
  for (const Triplet<T>& t : triplets) to[at(rows.find(t.row).part)].push_back(t);
  // Row s holds how many triplets rank s sends to each rank. A rank owns the column of what it receives, and
  // turns these counts into places.
  Array<index_t, 2> places(group, Layout<2>::blocked({ranks, ranks}, ranks, {.grid = Extents<2>(1, ranks)}),
                           {.name = "triplets to each"});
  const Patch<2> my_row{{me, 0}, {me + 1, ranks}};
  LocalArray<index_t, 2> row({1, ranks});
  for (int r = 0; r < ranks; ++r) row(0, r) = static_cast<index_t>(to[at(r)].size());
  places.put(my_row, row);
  places.sync();
  index_t incoming = 0;
  {
    const auto column = places.local();
    for (int s = 0; s < ranks; ++s) incoming += std::exchange(column(s, 0), incoming);
  }
  places.sync();
  places.get(my_row, row);
  Array<Triplet<T>, 1> arrived(group, counted(group, incoming), {.name = "triplets of each"});
  for (int r = 0; r < ranks; ++r) {
    const index_t begin = begin_of(arrived, r) + row(0, r);
    const auto size = static_cast<index_t>(to[at(r)].size());
    if (size > 0)
      arrived.put({{begin}, {begin + size}}, View<const Triplet<T>, 1>(to[at(r)].data(), Extents<1>(size)));
    to[at(r)] = {};
  }
  arrived.sync();
  std::vector<Triplet<T>> own(at(incoming));
  const auto here = arrived.local();
  std::copy_n(here.data(), incoming, own.begin());
  return own;
}

}  // namespace

template <Arithmetic T>
SparseMatrix<T>::SparseMatrix(const Group& group, index_t rows, index_t columns,
                              std::span<const Triplet<T>> triplets, std::string_view name)
    : SparseMatrix(
          [&] {
            require_triplets(group, rows, columns, triplets, name);
            const auto axis = detail::Axis::blocked(rows, group.size());
            const index_t first = axis.interval(group.rank(), 0).begin;
            auto own = exchange(group, axis, triplets);
            // A stable sort keeps equal triplets in the order in which they came, so that their sum is
            // reproducible.
            std::stable_sort(own.begin(), own.end(), [](const Triplet<T>& a, const Triplet<T>& b) {
              return a.row != b.row ? a.row < b.row : a.column < b.column;
            });
            Assembled made;
            made.begins.assign(at(axis.count(group.rank()) + 1), 0);
            for (std::size_t k = 0; k < own.size(); ++k) {
              const Triplet<T>& t = own[k];
              if (k > 0 && own[k - 1].row == t.row && own[k - 1].column == t.column) {
                made.values.back() = sum(made.values.back(), t.value);
                continue;
              }
              ++made.begins[at(t.row - first + 1)];
              made.columns.push_back(t.column);
              made.values.push_back(t.value);
            }
            for (std::size_t i = 1; i < made.begins.size(); ++i) made.begins[i] += made.begins[i - 1];
            return made;
          }(),
          group, rows, columns, name) {}

template <Arithmetic T>
SparseMatrix<T>::SparseMatrix(Assembled&& made, const Group& group, index_t rows, index_t columns,
                              std::string_view name)
    : rows_(rows),
      columns_(columns),
      begins_(std::move(made.begins)),
      all_begins_(group, Layout<1>::blocked(Extents<1>(rows), group.size(), {.grid = Extents<1>(group.size())}),
                  {.name = name}),
      column_numbers_(group, counted(group, static_cast<index_t>(made.columns.size())), {.name = name}),
      values_(group, column_numbers_.layout(), {.name = name}) {
  const auto interval = detail::Axis::blocked(rows, group.size()).interval(group.rank(), 0);
  first_ = interval.begin;
  last_ = interval.end;
  if (!made.columns.empty()) {
    std::copy(made.columns.begin(), made.columns.end(), column_numbers_.local().data());
    std::copy(made.values.begin(), made.values.end(), values_.local().data());
  }
  const index_t before = begin_of(values_, group.rank());
  const auto begins = all_begins_.local();
  for (index_t i = 0; i < last_ - first_; ++i) begins(i) = before + begins_[at(i)];
  const detail::Outcome outcome([&] { compress_columns(); });
  outcome.agree_and_sync(group, formatted("sparse matrix \"{}\"", name));
}

template <Arithmetic T>
void SparseMatrix<T>::close() {
  all_begins_.close();
  column_numbers_.close();
  values_.close();
}

namespace {

// This rank's elements of an array with one block per rank.
template <class T>
std::span<T> own_elements(const detail::ArrayCore& array, index_t count) {
  array.require_open();
  return {static_cast<T*>(array.local_data()), at(count)};
}

}  // namespace

template <Arithmetic T>
std::span<const index_t> SparseMatrix<T>::local_columns() const {
  return own_elements<const index_t>(column_numbers_.core(), begins_.back());
}
template <Arithmetic T>
std::span<T> SparseMatrix<T>::local_values() {
  return own_elements<T>(values_.core(), begins_.back());
}
template <Arithmetic T>
std::span<const T> SparseMatrix<T>::local_values() const {
  return own_elements<const T>(values_.core(), begins_.back());
}

template <Arithmetic T>
void SparseMatrix<T>::compress_columns() {
  const auto columns = local_columns();
  needed_.assign(columns.begin(), columns.end());
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  if (needed_.size() > at(std::numeric_limits<std::int32_t>::max()))
    throw UsageError(formatted("its rows need {} elements of a vector, more than 2^31", needed_.size()));
  places_.reserve(columns.size());
  for (index_t column : columns) {
    places_.push_back(
        static_cast<std::int32_t>(std::lower_bound(needed_.begin(), needed_.end(), column) - needed_.begin()));
  }
}

template <Arithmetic T>
std::vector<Triplet<T>> SparseMatrix<T>::row(index_t i) const {
  if (i < 0 || i >= rows_)
    throw UsageError(formatted("sparse matrix \"{}\" of {} rows has no row {}", name(), rows_, i));
  const index_t begin = all_begins_.load({i}), end = i + 1 < rows_ ? all_begins_.load({i + 1}) : nonzeros();
  const auto columns = column_numbers_.get({{begin}, {end}});
  const auto values = values_.get({{begin}, {end}});
  std::vector<Triplet<T>> elements;
  for (index_t k = 0; k < end - begin; ++k) elements.push_back({i, columns(k), values(k)});
  return elements;
}

template <Arithmetic T>
void SparseMatrix<T>::require_group(const Group& other, std::string_view operation) const {
  if (!(other == group()))
    throw UsageError(
        formatted("{} with sparse matrix \"{}\": the arrays are of different groups", operation, name()));
}

namespace {

// Calls f(first, end) for the stretches of a sorted list of numbers that are worth one transfer each.
template <class F>
void for_each_stretch(std::span<const index_t> numbers, index_t widest_gap, F&& f) {
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] - numbers[end - 1] <= widest_gap;) ++end;
    f(begin, end);
  }
}

// Gets the elements of a vector at increasing positions: in stretches if these are few, else as a list.
template <class T>
std::vector<T> fetch(const Array<T, 1>& x, const std::vector<index_t>& at_positions) {
  constexpr index_t widest_gap = 8,
                    worth = 16;  // in elements; a gap costs less than another transfer, worth is an average
  std::vector<T> elements(at_positions.size());
  index_t stretches = 0;
  for_each_stretch(at_positions, widest_gap, [&](std::size_t, std::size_t) { ++stretches; });
  if (stretches * worth > static_cast<index_t>(at_positions.size())) {
    static_assert(sizeof(Index<1>) == sizeof(index_t));
    x.gather({reinterpret_cast<const Index<1>*>(at_positions.data()), at_positions.size()}, elements);
    return elements;
  }
  std::vector<LocalArray<T, 1>> fetched;
  fetched.reserve(at(stretches));
  Request all;
  for_each_stretch(at_positions, widest_gap, [&](std::size_t begin, std::size_t end) {
    const Patch<1> patch{{at_positions[begin]}, {at_positions[end - 1] + 1}};
    all += x.get_async(patch, fetched.emplace_back(patch.extents()));
  });
  all.wait();
  auto next = fetched.begin();
  for_each_stretch(at_positions, widest_gap, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) elements[k] = next->data()[at_positions[k] - at_positions[begin]];
    ++next;
  });
  return elements;
}

}  // namespace

template <Arithmetic T>
void SparseMatrix<T>::multiply(const Array<T, 1>& x, Array<T, 1>& y) const {
  require_group(x.group(), "multiply");
  require_group(y.group(), "multiply");
  if (x.size() != columns_ || y.size() != rows_) {
    throw UsageError(
        formatted("multiply: sparse matrix \"{}\" of extents {} x {} does not fit \"{}\" of {} elements and "
                  "\"{}\" of {}",
                  name(), rows_, columns_, x.name(), x.size(), y.name(), y.size()));
  }
  detail::begin_operation("multiply", {values_.core(), x.core(), y.core()}, detail::Shapes::any);
  const std::vector<T> factors = fetch(x, needed_);
  const auto values = local_values();
  LocalArray<T, 1> result(Extents<1>(last_ - first_));
  for (index_t i = 0; i < last_ - first_; ++i) {
    T total{};
    for (index_t k = begins_[at(i)]; k < begins_[at(i + 1)]; ++k)
      total = sum(total, product(values[at(k)], factors[at(places_[at(k)])]));
    result(i) = total;
  }
  group().barrier();  // y may be x
  y.put({{first_}, {last_}}, result);
  detail::end_operation(y.core());
}

template <Arithmetic T>
void SparseMatrix<T>::multiply(const Array<T, 2>& b, Array<T, 2>& c) const {
  require_group(b.group(), "multiply");
  require_group(c.group(), "multiply");
  const index_t width = b.dims()[1];
  if (b.dims()[0] != columns_ || c.dims() != Extents<2>(rows_, width)) {
    throw UsageError(
        formatted("multiply: sparse matrix \"{}\" of extents {} x {} does not fit \"{}\" of {} x {} and "
                  "\"{}\" of {} x {}",
                  name(), rows_, columns_, b.name(), b.dims()[0], width, c.name(), c.dims()[0], c.dims()[1]));
  }
  detail::begin_operation("multiply", {values_.core(), b.core(), c.core()}, detail::Shapes::any);
  // Some columns at a time, so that what is fetched stays within some megabytes.
  constexpr index_t max_bytes = index_t{32} << 20;
  const auto needed = static_cast<index_t>(needed_.size());
  const index_t wide = std::clamp<index_t>(max_bytes / std::max<index_t>(1, needed * index_t{sizeof(T)}), 1,
                                           std::max<index_t>(1, width));
  const auto values = local_values();
  std::vector<std::pair<Patch<2>, LocalArray<T, 2>>> results;
  for (index_t begin = 0; begin < width; begin += wide) {
    const index_t end = std::min(width, begin + wide);
    LocalArray<T, 2> rows({needed, end - begin});
    Request all;
    for_each_stretch(needed_, 1, [&](std::size_t first, std::size_t last) {
      const Patch<2> patch{{needed_[first], begin}, {needed_[last - 1] + 1, end}};
      all += b.get_async(
          patch, View<T, 2>(rows.data() + static_cast<index_t>(first) * (end - begin), patch.extents()));
    });
    all.wait();
    LocalArray<T, 2> result({last_ - first_, end - begin});
    for (index_t i = 0; i < last_ - first_; ++i) {
      T* to = result.data() + i * (end - begin);
      for (index_t k = begins_[at(i)]; k < begins_[at(i + 1)]; ++k) {
        const T value = values[at(k)];
        const T* from = rows.data() + index_t{places_[at(k)]} * (end - begin);
        for (index_t j = 0; j < end - begin; ++j) to[j] = sum(to[j], product(value, from[j]));
      }
    }
    if (&b.core() != &c.core())
      c.put({{first_, begin}, {last_, end}}, result);
    else
      results.emplace_back(Patch<2>{{first_, begin}, {last_, end}}, std::move(result));
  }
  if (!results.empty()) group().barrier();  // c is b, which others may still read
  for (const auto& [patch, result] : results) c.put(patch, result);
  detail::end_operation(c.core());
}

template <Arithmetic T>
void SparseMatrix<T>::get_diagonal(Array<T, 1>& v) const {
  require_group(v.group(), "get_diagonal");
  const index_t length = std::min(rows_, columns_);
  if (v.size() != length) {
    throw UsageError(
        formatted("get_diagonal: \"{}\" has {} elements, and the diagonal of sparse matrix \"{}\" {}", v.name(),
                  v.size(), name(), length));
  }
  detail::begin_operation("get_diagonal", {values_.core(), v.core()}, detail::Shapes::any);
  const index_t end = std::min(last_, length), begin = std::min(first_, end);
  LocalArray<T, 1> diagonal(Extents<1>(end - begin));
  const auto columns = local_columns();
  const auto values = local_values();
  for (index_t i = begin; i < end; ++i) {
    const auto row = columns.begin() + begins_[at(i - first_)],
               row_end = columns.begin() + begins_[at(i - first_ + 1)];
    const auto found = std::lower_bound(row, row_end, i);
    if (found != row_end && *found == i) diagonal(i - begin) = values[at(found - columns.begin())];
  }
  v.put({{begin}, {end}}, diagonal);
  detail::end_operation(v.core());
}

template class SparseMatrix<std::int32_t>;
template class SparseMatrix<std::int64_t>;
template class SparseMatrix<float>;
template class SparseMatrix<double>;
template class SparseMatrix<std::complex<float>>;
template class SparseMatrix<std::complex<double>>;

}  // namespace tessera
