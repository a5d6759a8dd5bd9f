// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/axis.hpp>
#include <tessera/sparse.hpp>

#include "base/arithmetic.hpp"
#include "base/at.hpp"

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

/// The triplets of this rank's rows from all ranks, in the order of the ranks. @collective
template <class T>
std::vector<Triplet<T>> exchange(const Group& group, const Layout<1>& rows,
                                 std::span<const Triplet<T>> triplets) {
  const int ranks = group.size(), me = group.rank();
  const Axis& axis = rows.core().grid()->axis(0);
  std::vector<std::vector<Triplet<T>>> to(at(ranks));
  for (const Triplet<T>& t : triplets) to[at(axis.find(t.row).part)].push_back(t);
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
  std::vector<Triplet<T>> own(at(incoming));
  const auto here = arrived.local();
  std::copy_n(here.data(), incoming, own.begin());
  return own;
}

/// This rank's rows. Triplets of equal row and column are added up. @collective
template <class T>
AssembledRows<T> assembled(const Group& group, const Layout<1>& rows, std::span<const Triplet<T>> triplets) {
  auto own = exchange(group, rows, triplets);
  // A stable sort keeps equal triplets in the order in which they came, so that their sum is reproducible.
  std::stable_sort(own.begin(), own.end(), [](const Triplet<T>& a, const Triplet<T>& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  const SparsePattern::Range range = range_of(rows, group.rank());
  AssembledRows<T> made;
  made.begins.assign(at(range.size() + 1), 0);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const Triplet<T>& t = own[k];
    if (k > 0 && own[k - 1].row == t.row && own[k - 1].column == t.column) {
      made.values.back() = sum(made.values.back(), t.value);
      continue;
    }
    ++made.begins[at(t.row - range.begin + 1)];
    made.columns.push_back(t.column);
    made.values.push_back(t.value);
  }
  for (std::size_t i = 1; i < made.begins.size(); ++i) made.begins[i] += made.begins[i - 1];
  return made;
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
