// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comparison.hpp"
#include "message_of.hpp"
#include "scalapack/scalapack_matrix.hpp"

// The layout of ScaLAPACK's operands, checked against the rules of the ScaLAPACK Users' Guide, section 4.3.
namespace tessera::test {
namespace {

using linalg::detail::BlockGrid;

// The process that has an index, the index there, and how many a process has (indxg2p, indxg2l and numroc).
int process_of(index_t i, int block, int processes) { return static_cast<int>(i / block % processes); }
index_t local_of(index_t i, int block, int processes) {
  return i / (index_t{block} * processes) * block + i % block;
}
index_t count_of(index_t extent, int block, int process, int processes) {
  index_t count = 0;
  for (index_t i = 0; i < extent; ++i) count += process_of(i, block, processes) == process ? 1 : 0;
  return count;
}

void check_layout(const BlockGrid& grid, const index_t (&dims)[2], int ranks) {
  SCOPED_TRACE(testing::Message() << dims[0] << " x " << dims[1] << " in blocks of " << grid.block << " on "
                                  << grid.rows << " x " << grid.columns << " of " << ranks);
  const auto rank_at = [&](int row, int column) {
    return grid.order == GridOrder::row_major ? row * grid.columns + column : column * grid.rows + row;
  };
  const auto layout = grid.layout(dims, ranks);
  EXPECT_EQ(layout.ranks(), ranks);
  EXPECT_EQ(layout.storage(), StorageOrder::column_major);
  Comparison sizes, ranks_of, offsets;
  std::vector<index_t> expected(static_cast<std::size_t>(ranks));
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      expected[static_cast<std::size_t>(rank_at(row, column))] =
          count_of(dims[0], grid.block, row, grid.rows) * count_of(dims[1], grid.block, column, grid.columns);
    }
  }
  for (int rank = 0; rank < ranks; ++rank)
    sizes(rank, expected[static_cast<std::size_t>(rank)], layout.local(rank).size);
  for (index_t i = 0; i < dims[0]; ++i) {
    for (index_t j = 0; j < dims[1]; ++j) {
      const int row = process_of(i, grid.block, grid.rows), column = process_of(j, grid.block, grid.columns);
      const index_t at[2] = {i, j}, leading = count_of(dims[0], grid.block, row, grid.rows);
      index_t offset = -1;
      ranks_of(std::pair(i, j), rank_at(row, column), layout.locate(at, offset));
      offsets(std::pair(i, j),
              local_of(i, grid.block, grid.rows) + local_of(j, grid.block, grid.columns) * leading, offset);
    }
  }
  EXPECT_TRUE(sizes.equal());
  EXPECT_TRUE(ranks_of.equal());
  EXPECT_TRUE(offsets.equal());
}

TEST(BlockGrid, has_the_layout_that_scalapack_expects) {
  for (const GridOrder order : {GridOrder::row_major, GridOrder::column_major}) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 3}, {3, 2}, {1, 4}, {4, 1}}) {
      for (const int block : {1, 3, 8, 50}) {
        check_layout({block, rows, columns, order}, {17, 12}, rows * columns);
        check_layout({block, rows, columns, order}, {3, 40}, rows * columns + 2);
        check_layout({block, rows, columns, order}, {0, 5}, rows * columns);
      }
    }
  }
}

TEST(ScalapackExtents, are_ints_or_refused_with_the_name_of_the_array) {
  constexpr index_t most = std::numeric_limits<int>::max();
  EXPECT_EQ(linalg::scalapack::checked_int(0, "A"), 0);
  EXPECT_EQ(linalg::scalapack::checked_int(most, "A"), most);
  const auto message = message_of<UsageError>([&] { linalg::scalapack::checked_int(most + 1, "A"); });
  EXPECT_NE(message.find("\"A\" has an extent of 2147483648"), std::string::npos) << message;
}

TEST(ScalapackElements, are_conjugated_if_they_are_complex) {
  EXPECT_EQ(linalg::detail::conjugate(3.0), 3.0);
  EXPECT_EQ(linalg::detail::conjugate(std::complex(1.0F, 2.0F)), std::complex(1.0F, -2.0F));
}

}  // namespace
}  // namespace tessera::test
