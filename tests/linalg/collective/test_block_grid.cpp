// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <string>
#include <vector>

#include "matrix_model.hpp"
#include "scalapack/scalapack_matrix.hpp"

// The blocks and the process grid on which ScaLAPACK works, on any number of ranks.
namespace tessera::test {
namespace {

using linalg::Blocking;
using linalg::detail::BlockGrid;

// The grid of all processes whose extents differ least.
BlockGrid nearly_square(int block) {
  const int ranks = world().size();
  int rows = 1;
  for (int r = 1; r * r <= ranks; ++r) {
    if (ranks % r == 0) rows = r;
  }
  return {block, rows, ranks / rows, GridOrder::row_major};
}

void expect_grid(const BlockGrid& found, const BlockGrid& expected) {
  EXPECT_EQ(found.block, expected.block);
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.columns, expected.columns);
  EXPECT_EQ(found.order, expected.order);
}

TEST(BlockGrids, are_those_that_the_caller_asks_for) {
  const int ranks = world().size();
  // ScaLAPACK could use the operand's own grid.
  const auto layout = Layout<2>::block_cyclic({40, 40}, {6, 6}, {.shape = {ranks, 1}}, ranks);
  const Array<double, 2> a(world(), layout.with_storage(StorageOrder::column_major), {.name = "A"});
  expect_grid(BlockGrid::choose("test", a.core(), 40, {.block = 5}), nearly_square(5));
  expect_grid(BlockGrid::choose("test", a.core(), 8, {.rows = 1, .columns = ranks}),
              {8, 1, ranks, GridOrder::row_major});
  expect_grid(BlockGrid::choose("test", a.core(), 40, {.block = 7, .rows = ranks, .columns = 1}),
              {7, ranks, 1, GridOrder::row_major});
  expect_grid(BlockGrid::choose("test", a.core(), 40, {.block = 100, .rows = 1, .columns = 1}),
              {100, 1, 1, GridOrder::row_major});
  // Far beyond the matrix, blocks would only cost memory.
  expect_grid(BlockGrid::choose("test", a.core(), 40, {.block = 1000000000}), nearly_square(40 + 64));
}

TEST(BlockGrids, are_those_of_an_operand_that_scalapack_can_use) {
  const int ranks = world().size();
  for (const GridOrder order : {GridOrder::row_major, GridOrder::column_major}) {
    const auto layout = Layout<2>::block_cyclic({40, 30}, {6, 6}, {.shape = {1, ranks}, .order = order}, ranks);
    const Array<float, 2> a(world(), layout.with_storage(StorageOrder::column_major), {.name = "A"});
    expect_grid(BlockGrid::choose("test", a.core(), 40, {}), {6, 1, ranks, order});
  }
}

// ScaLAPACK's workspaces grow with the block, even beyond the matrix.
TEST(BlockGrids, are_new_ones_if_the_blocks_of_the_operand_are_far_larger) {
  const int ranks = world().size();
  for (const index_t block : {index_t{50'000}, index_t{1} << 31}) {
    const auto layout = Layout<2>::block_cyclic({8, 8}, {block, block}, {.shape = {1, ranks}}, ranks);
    Array<double, 2> a(world(), layout.with_storage(StorageOrder::column_major), {.name = "A"});
    fill(a, 0.0);
    fill_diagonal(a, 2.0);
    EXPECT_EQ(linalg::eigvalsh(a), std::vector<double>(8, 2.0));
    EXPECT_NEAR(std::abs(linalg::qr(a).r.load({7, 7})), 2, 1e-14);
    world().sync();
  }
}

TEST(BlockGrids, are_new_ones_if_scalapack_cannot_use_the_operand) {
  const int ranks = world().size();
  const Extents<2> dims{40, 40};
  const auto fits = Layout<2>::block_cyclic(dims, {6, 6}, {.shape = {ranks, 1}}, ranks)
                        .with_storage(StorageOrder::column_major);
  const std::vector<Layout<2>> others{
      fits.with_storage(StorageOrder::row_major),
      Layout<2>::block_cyclic(dims, {6, 5}, {.shape = {ranks, 1}}, ranks)
          .with_storage(StorageOrder::column_major),
      Layout<2>::tiled(dims, {6, 6}, {.shape = {ranks, 1}}, ranks).with_storage(StorageOrder::column_major),
      Layout<2>::blocked(dims, ranks).with_storage(StorageOrder::column_major)};
  for (const auto& layout : others) {
    SCOPED_TRACE(layout.description());
    const Array<double, 2> a(world(), layout, {.name = "A"});
    expect_grid(BlockGrid::choose("test", a.core(), 8, {}), nearly_square(8));
  }
  const Array<double, 2> a(world(), fits, {.name = "A"});
  const auto part = a.slice({{0, 0}, {40, 39}});
  expect_grid(BlockGrid::choose("test", part.core(), 8, {}), nearly_square(8));
}

TEST(BlockGrids, have_small_blocks_so_that_every_process_has_work) {
  const Array<double, 2> a(world(), {4, 4}, {.name = "A"});
  const int columns = nearly_square(1).columns;
  struct Case {
    index_t extent;
    int block;
  };
  for (const auto& [extent, block] :
       {Case{0, 8}, Case{1, 8}, Case{8 * columns, 8}, Case{29 * columns + 1, 30}, Case{30 * columns, 30},
        Case{64 * columns, 64}, Case{index_t{1} << 33, 64}}) {
    SCOPED_TRACE(extent);
    expect_grid(BlockGrid::choose("test", a.core(), extent, {}), nearly_square(block));
  }
}

TEST(BlockGrids, that_are_impossible_are_refused_on_every_rank) {
  const Array<double, 2> a(world(), {4, 4}, {.name = "A"});
  const int ranks = world().size();
  const auto refused = [&](const Blocking& blocking, const std::string& words) {
    const auto message = message_of<UsageError>([&] { BlockGrid::choose("test", a.core(), 4, blocking); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  refused({.block = -1}, "test: a blocking of -1 on a grid of 0 x 0: none may be negative");
  refused({.rows = -1, .columns = -1}, "none may be negative");
  refused({.rows = 1}, "a grid needs both extents");
  refused({.columns = 1}, "a grid needs both extents");
  refused({.rows = ranks, .columns = 2}, "the group has " + std::to_string(ranks));
  refused({.rows = 1 << 30, .columns = 1 << 30}, "the group has");
}

}  // namespace
}  // namespace tessera::test
