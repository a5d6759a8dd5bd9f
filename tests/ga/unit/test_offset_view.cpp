// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include <tessera/offset_view.hpp>

namespace {

using namespace tessera;

TEST(OffsetView, has_the_elements_of_a_view_at_indices_that_begin_elsewhere) {
  std::vector<int> memory(3 * 4 * 5);
  std::iota(memory.begin(), memory.end(), 0);
  const View<int, 3> all(memory.data(), {3, 4, 5});
  const OffsetView<int, 3> moved(all, {-1, 100, 7});
  EXPECT_EQ(moved.patch(), (Patch<3>{{-1, 100, 7}, {2, 104, 12}}));
  for_each_point(moved.patch(), [&](index_t i, index_t j, index_t k) {
    ASSERT_EQ(&moved(i, j, k), &all(i + 1, j - 100, k - 7));
    ASSERT_EQ(&moved[Index<3>(i, j, k)], &moved(i, j, k));
  });
  const OffsetView<const int, 3> constant = moved;
  EXPECT_EQ(&constant(1, 103, 11), &memory.back());
}

TEST(OffsetView, has_contiguous_rows_or_columns_and_refuses_others) {
  std::vector<int> memory(12);
  const View<int, 2> rows(memory.data(), {3, 4});
  const View<int, 2> columns(memory.data(), {3, 4},
                             dense_strides(Extents<2>{3, 4}, StorageOrder::column_major));
  const OffsetView<int, 2, StorageOrder::column_major> by_columns(columns, {5, 6});
  for_each_point<StorageOrder::column_major>(
      by_columns.patch(), [&](index_t i, index_t j) { ASSERT_EQ(&by_columns(i, j), &columns(i - 5, j - 6)); });
  EXPECT_THROW((OffsetView<int, 2>(columns, {0, 0})), UsageError);
  EXPECT_THROW((OffsetView<int, 2, StorageOrder::column_major>(rows, {0, 0})), UsageError);
  // One element to a row has no neighbours.
  const OffsetView<int, 2> thin(View<int, 2>(memory.data(), {3, 1}, {4, 2}), {0, 9});
  EXPECT_EQ(&thin(2, 9), &memory[8]);
}

TEST(OffsetView, reaches_the_last_index_that_there_is) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  double two[2] = {1, 2};
  const OffsetView<double, 1> end(View<double, 1>(two, {2}), {most - 2});
  EXPECT_EQ(end(most - 2), 1);
  EXPECT_EQ(end(most - 1), 2);
}

TEST(ForEachPoint, visits_each_point_once_in_the_order_of_the_storage) {
  using Points = std::vector<std::pair<index_t, index_t>>;
  Points rows, columns;
  const Patch<2> patch{{-1, 3}, {1, 5}};
  for_each_point(patch, [&](index_t i, index_t j) { rows.emplace_back(i, j); });
  for_each_point<StorageOrder::column_major>(patch, [&](index_t i, index_t j) { columns.emplace_back(i, j); });
  EXPECT_EQ(rows, (Points{{-1, 3}, {-1, 4}, {0, 3}, {0, 4}}));
  EXPECT_EQ(columns, (Points{{-1, 3}, {0, 3}, {-1, 4}, {0, 4}}));
  int visits = 0;
  for_each_point(Patch<1>{{5}, {3}}, [&](index_t) { ++visits; });
  for_each_point(Patch<4>{{0, 0, 0, 0}, {2, 3, 0, 1}}, [&](index_t, index_t, index_t, index_t) { ++visits; });
  EXPECT_EQ(visits, 0);
}

}  // namespace
