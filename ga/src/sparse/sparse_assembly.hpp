// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/arithmetic.hpp>
#include <tessera/core/axis.hpp>
#include <tessera/sparse.hpp>

#include "base/at.hpp"
#include "base/made_in_memory.hpp"
#include "format.hpp"

// How the rows of a sparse matrix are put together from triplets that are on any rank.
namespace tessera::detail {

/// The elements of one rank's rows, in order. Those of its row i are [begins[i], begins[i + 1]).
template <class T>
struct AssembledRows {
  std::vector<index_t> begins, columns;
  std::vector<T> values;
};

/// An irregular layout with `mine` elements on each rank. @collective
Layout<1> counted(const Group& group, index_t mine);

/// Rows with about equally much work for each rank: a row is as much as its elements and one more. `begins` are
/// those of this rank's rows in layout `from`. @collective
Layout<1> balanced(const Group& group, const Layout<1>& from, std::span<const index_t> begins);

/// The triplets of this rank's rows from all ranks, in the order of the ranks. `call` is what asks for them,
/// for messages. @collective
template <class T>
std::vector<Triplet<T>> exchange(const Group& group, std::string_view call, const Layout<1>& rows,
                                 std::span<const Triplet<T>> triplets) {
  const int ranks = group.size(), me = group.rank();
  auto to = made_in_memory(group, call, [&] {
    const Axis& axis = rows.core().grid()->axis(0);
    std::vector<std::vector<Triplet<T>>> sorted(at(ranks));
    std::vector<std::size_t> counts(at(ranks));
    for (const Triplet<T>& t : triplets) ++counts[at(axis.find(t.row).part)];
    for (int r = 0; r < ranks; ++r) sorted[at(r)].reserve(counts[at(r)]);
    for (const Triplet<T>& t : triplets) sorted[at(axis.find(t.row).part)].push_back(t);
    return sorted;
  });
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
    const index_t begin = range_of(arrived.layout(), r).begin + row(0, r);
    const auto size = static_cast<index_t>(to[at(r)].size());
    if (size > 0)
      arrived.put({{begin}, {begin + size}}, View<const Triplet<T>, 1>(to[at(r)].data(), Extents<1>(size)));
    to[at(r)] = {};
  }
  arrived.sync();
  auto all = made_in_memory(group, call, [&] {
    const auto here = arrived.local();
    return std::vector<Triplet<T>>(here.data(), here.data() + incoming);
  });
  arrived.close();
  return all;
}

/// The rows of a range, from their triplets. Triplets of equal row and column are added up.
/// @local
template <class T>
AssembledRows<T> rows_of(std::vector<Triplet<T>>&& triplets, const SparsePattern::Range& range) {
  // A stable sort keeps equal triplets in the order in which they came, so that their sum is reproducible.
  std::stable_sort(triplets.begin(), triplets.end(), [](const Triplet<T>& a, const Triplet<T>& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  AssembledRows<T> made;
  made.begins.assign(at(range.size()) + 1, 0);
  made.columns.reserve(triplets.size());
  made.values.reserve(triplets.size());
  using S = sum_t<T>;
  S total{};
  for (std::size_t k = 0; k < triplets.size(); ++k) {
    const Triplet<T>& t = triplets[k];
    if (k > 0 && triplets[k - 1].row == t.row && triplets[k - 1].column == t.column) {
      total = sum(total, static_cast<S>(t.value));
      made.values.back() = static_cast<T>(total);
      continue;
    }
    total = static_cast<S>(t.value);
    ++made.begins[at(t.row - range.begin + 1)];
    made.columns.push_back(t.column);
    made.values.push_back(t.value);
  }
  for (std::size_t i = 1; i < made.begins.size(); ++i) made.begins[i] += made.begins[i - 1];
  return made;
}

/// This rank's rows, from the triplets of all ranks. @collective
template <class T>
AssembledRows<T> assembled(const Group& group, std::string_view call, const Layout<1>& rows,
                           std::span<const Triplet<T>> triplets) {
  auto own = exchange(group, call, rows, triplets);
  return made_in_memory(group, call, [&] { return rows_of(std::move(own), range_of(rows, group.rank())); });
}

/// Rows as triplets again, the first one being row `first`. @local
template <class T>
std::vector<Triplet<T>> triplets_of(const AssembledRows<T>& rows, index_t first) {
  std::vector<Triplet<T>> triplets;
  triplets.reserve(rows.columns.size());
  for (index_t i = 0; i + 1 < std::ssize(rows.begins); ++i) {
    for (index_t k = rows.begins[at(i)]; k < rows.begins[at(i + 1)]; ++k)
      triplets.push_back({first + i, rows.columns[at(k)], rows.values[at(k)]});
  }
  return triplets;
}

}  // namespace tessera::detail
