// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/sparse.hpp>

#include <algorithm>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/core/operand_walk.hpp>

#include "base/at.hpp"
#include "format.hpp"
#include "sparse/sparse_assembly.hpp"
#include "sparse/sparse_products.hpp"

namespace tessera {

using detail::at;

// One rank's share of a matrix.
template <Arithmetic T>
struct SparseMatrix<T>::Made {
  detail::AssembledRows<T> rows;
  detail::SparsePattern pattern;
};

namespace {

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

// Blocks of equally many elements, one for each rank.
Layout<1> even(const Group& group, index_t count) {
  return Layout<1>::blocked(Extents<1>(count), group.size(), {.grid = Extents<1>(group.size())});
}

}  // namespace

template <Arithmetic T>
SparseMatrix<T>::SparseMatrix(const Group& group, index_t rows, index_t columns,
                              std::span<const Triplet<T>> triplets, const SparseOptions& options)
    : SparseMatrix(
          [&] {
            require_triplets(group, rows, columns, triplets, options.name);
            const std::string call = formatted("sparse matrix \"{}\"", options.name);
            Layout<1> layout = even(group, rows);
            auto own = detail::assembled(group, call, layout, triplets);
            if (options.balance == Balance::nonzeros) {
              const auto again = detail::made_in_memory(group, call, [&] {
                return detail::triplets_of(own, detail::range_of(layout, group.rank()).begin);
              });
              layout = detail::balanced(group, layout, own.begins);
              own = detail::assembled(group, call, layout, std::span<const Triplet<T>>(again));
            }
            const Layout<1> column_layout = rows == columns ? layout : even(group, columns);
            return detail::made_in_memory(group, call, [&] {
              detail::SparsePattern pattern(group, layout, column_layout, std::move(own.begins), own.columns);
              return Made{std::move(own), std::move(pattern)};
            });
          }(),
          group, rows, columns, options.name) {}

template <Arithmetic T>
SparseMatrix<T>::SparseMatrix(Made&& made, const Group& group, index_t rows, index_t columns,
                              std::string_view name)
    : rows_(rows),
      columns_(columns),
      pattern_(std::move(made.pattern)),
      all_begins_(group, pattern_.row_layout, {.name = name}),
      column_numbers_(group, detail::counted(group, std::ssize(made.rows.columns)), {.name = name}),
      values_(group, column_numbers_.layout(), {.name = name}),
      border_(group, pattern_, sizeof(T), name) {
  if (!made.rows.columns.empty()) {
    std::copy(made.rows.columns.begin(), made.rows.columns.end(), column_numbers_.local().data());
    std::copy(made.rows.values.begin(), made.rows.values.end(), values_.local().data());
  }
  const index_t before = detail::range_of(values_.layout(), group.rank()).begin;
  {
    const auto begins = all_begins_.local();
    for (index_t i = 0; i < pattern_.own_rows.size(); ++i) begins(i) = before + pattern_.begins[at(i)];
  }
  group.sync();
}

template <Arithmetic T>
void SparseMatrix<T>::close() {
  all_begins_.close();
  column_numbers_.close();
  values_.close();
  border_.close();
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
  return own_elements<const index_t>(column_numbers_.core(), pattern_.begins.back());
}
template <Arithmetic T>
std::span<T> SparseMatrix<T>::local_values() {
  return own_elements<T>(values_.core(), pattern_.begins.back());
}
template <Arithmetic T>
std::span<const T> SparseMatrix<T>::local_values() const {
  return own_elements<const T>(values_.core(), pattern_.begins.back());
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

template <Arithmetic T>
void SparseMatrix<T>::require_vectors(std::string_view operation, index_t from, const Array<T, 1>& x,
                                      index_t to, const Array<T, 1>& y) const {
  require_group(x.group(), operation);
  require_group(y.group(), operation);
  if (x.size() == from && y.size() == to) return;
  throw UsageError(
      formatted("{}: sparse matrix \"{}\" of extents {} x {} does not fit \"{}\" of {} elements and "
                "\"{}\" of {}",
                operation, name(), rows_, columns_, x.name(), x.size(), y.name(), y.size()));
}

template <Arithmetic T>
void SparseMatrix<T>::begin_product(std::string_view operation, index_t from, const Array<T, 1>& x, index_t to,
                                    const Array<T, 1>& y) const {
  require_vectors(operation, from, x, to, y);
  detail::begin_operation(operation, {values_.core(), x.core(), y.core()}, detail::Shapes::any);
}

template <Arithmetic T>
void SparseMatrix<T>::multiply_unsynchronised(const Array<T, 1>& x, Array<T, 1>& y) const {
  const bool in_place = !detail::SliceCore(x.core()).may_overlap(y.core()) &&
                        x.core().layout() == column_layout().core() && y.core().layout() == row_layout().core();
  if (!in_place) return multiply(x, y);
  require_vectors("multiply_unsynchronised", columns_, x, rows_, y);
  x.core().require_open();
  y.core().require_open();
  detail::multiply({pattern_, local_values(), border_}, T{1}, x, T{0}, y);
}

template <Arithmetic T>
void SparseMatrix<T>::multiply(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const {
  begin_product("multiply", columns_, x, rows_, y);
  detail::multiply({pattern_, local_values(), border_}, alpha, x, beta, y);
  detail::end_operation(y.core());
}

template <Arithmetic T>
void SparseMatrix<T>::multiply_transposed(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const {
  begin_product("multiply_transposed", rows_, x, columns_, y);
  detail::multiply_transposed({pattern_, local_values(), border_}, detail::Conjugated::no, alpha, x, beta, y);
  detail::end_operation(y.core());
}

template <Arithmetic T>
void SparseMatrix<T>::multiply_adjoint(T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) const {
  begin_product("multiply_adjoint", rows_, x, columns_, y);
  detail::multiply_transposed({pattern_, local_values(), border_}, detail::Conjugated::yes, alpha, x, beta, y);
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
  detail::multiply({pattern_, local_values(), border_}, b, c);
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
  const index_t end = std::min(last_row(), length), begin = std::min(first_row(), end);
  const detail::Outcome put([&] {
    LocalArray<T, 1> diagonal(Extents<1>(end - begin));
    const auto columns = local_columns();
    const auto values = local_values();
    for (index_t i = begin; i < end; ++i) {
      const auto row = columns.begin() + pattern_.begins[at(i - first_row())],
                 row_end = columns.begin() + pattern_.begins[at(i - first_row() + 1)];
      const auto found = std::lower_bound(row, row_end, i);
      if (found != row_end && *found == i) diagonal(i - begin) = values[at(found - columns.begin())];
    }
    v.put({{begin}, {end}}, diagonal);
  });
  detail::end_operation("get_diagonal", v.core(), put);
}

template class SparseMatrix<std::int32_t>;
template class SparseMatrix<std::int64_t>;
template class SparseMatrix<float>;
template class SparseMatrix<double>;
template class SparseMatrix<std::complex<float>>;
template class SparseMatrix<std::complex<double>>;

}  // namespace tessera
