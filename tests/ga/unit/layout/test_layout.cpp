// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include <tessera/layout.hpp>

// The blocks of layouts of each kind, by hand.
namespace {

using namespace tessera;

TEST(Layout, blocked_obeys_its_options) {
  const auto wide = Layout<2>::blocked({100, 100}, 8, {.min_block = {60, 0}});
  EXPECT_EQ(wide.grid(), (Extents<2>{1, 8}));
  const auto few = Layout<2>::blocked({100, 100}, 8, {.min_block = {40, 40}});
  EXPECT_EQ(few.grid(), (Extents<2>{2, 2}));
  const auto given = Layout<2>::blocked({5, 10}, 8, {.grid = Extents<2>{2, 3}});
  EXPECT_EQ(given.grid(), (Extents<2>{2, 3}));
  // Larger blocks first; ranks in row-major order of the grid.
  EXPECT_EQ(given.block(0), (Patch<2>{{0, 0}, {3, 4}}));
  EXPECT_EQ(given.block(1), (Patch<2>{{0, 4}, {3, 7}}));
  EXPECT_EQ(given.block(5), (Patch<2>{{3, 7}, {5, 10}}));
  EXPECT_TRUE(given.block(6).empty());
  // A given grid may have more processes than elements.
  const auto thin = Layout<1>::blocked({3}, 5, {.grid = Extents<1>{5}});
  EXPECT_EQ(thin.local_size(2), 1);
  EXPECT_EQ(thin.local_size(3), 0);
}

// The table of docs/concepts.md, row by row.
TEST(Layout, has_the_blocks_that_the_table_of_concepts_lists) {
  const auto even = Layout<2>::blocked({10, 8}, 4);
  const auto uneven = Layout<2>::irregular({10, 8}, {{{0, 3}, {0, 6}}});
  const auto cyclic = Layout<2>::block_cyclic({10, 8}, {3, 2}, {{2, 2}});
  const auto blocks_of = [](const Layout<2>& layout, int rank) {
    std::vector<Patch<2>> blocks;
    for (index_t b = 0; b < layout.block_count(rank); ++b) blocks.push_back(layout.block(rank, b));
    return blocks;
  };
  using Blocks = std::vector<Patch<2>>;
  EXPECT_EQ(blocks_of(even, 0), (Blocks{{{0, 0}, {5, 4}}}));
  EXPECT_EQ(blocks_of(even, 1), (Blocks{{{0, 4}, {5, 8}}}));
  EXPECT_EQ(blocks_of(even, 2), (Blocks{{{5, 0}, {10, 4}}}));
  EXPECT_EQ(blocks_of(even, 3), (Blocks{{{5, 4}, {10, 8}}}));
  EXPECT_EQ(blocks_of(uneven, 0), (Blocks{{{0, 0}, {3, 6}}}));
  EXPECT_EQ(blocks_of(uneven, 1), (Blocks{{{0, 6}, {3, 8}}}));
  EXPECT_EQ(blocks_of(uneven, 2), (Blocks{{{3, 0}, {10, 6}}}));
  EXPECT_EQ(blocks_of(uneven, 3), (Blocks{{{3, 6}, {10, 8}}}));
  EXPECT_EQ(blocks_of(cyclic, 0),
            (Blocks{{{0, 0}, {3, 2}}, {{0, 4}, {3, 6}}, {{6, 0}, {9, 2}}, {{6, 4}, {9, 6}}}));
  EXPECT_EQ(blocks_of(cyclic, 1),
            (Blocks{{{0, 2}, {3, 4}}, {{0, 6}, {3, 8}}, {{6, 2}, {9, 4}}, {{6, 6}, {9, 8}}}));
  EXPECT_EQ(blocks_of(cyclic, 2),
            (Blocks{{{3, 0}, {6, 2}}, {{3, 4}, {6, 6}}, {{9, 0}, {10, 2}}, {{9, 4}, {10, 6}}}));
  EXPECT_EQ(blocks_of(cyclic, 3),
            (Blocks{{{3, 2}, {6, 4}}, {{3, 6}, {6, 8}}, {{9, 2}, {10, 4}}, {{9, 6}, {10, 8}}}));
}

TEST(Layout, irregular_blocks_begin_at_their_starts) {
  const auto layout = Layout<2>::irregular({10, 6}, {{{0, 2, 2, 9}, {0, 5}}});
  EXPECT_EQ(layout.ranks(), 8);
  EXPECT_EQ(layout.block(0), (Patch<2>{{0, 0}, {2, 5}}));
  EXPECT_EQ(layout.block_count(2), 0);  // rows [2, 2)
  EXPECT_EQ(layout.block(5), (Patch<2>{{2, 5}, {9, 6}}));
  EXPECT_EQ(layout.owner({9, 5}), 7);
  EXPECT_EQ(layout.owner({2, 0}), 4);
}

// ScaLAPACK's NUMROC(n, nb, iproc, 0, nprocs), from its published definition, worked out by hand.
TEST(Layout, block_cyclic_has_the_sizes_of_numroc) {
  struct Case {
    index_t n, nb;
    std::vector<index_t> local;
  };
  const std::vector<Case> cases = {
      {9, 2, {5, 4}},     {10, 3, {6, 4}},
      {10, 3, {4, 3, 3}}, {1000, 64, {512, 488}},
      {7, 64, {7, 0, 0}}, {100, 10, {30, 30, 20, 20}},
      {5, 1, {2, 2, 1}},  {129, 32, {33, 32, 32, 32}},
      {0, 4, {0, 0}},     {8, 4, {4, 4, 0}},
  };
  for (const Case& c : cases) {
    const auto processes = static_cast<index_t>(c.local.size());
    const auto layout = Layout<1>::block_cyclic({c.n}, {c.nb}, {.shape = {processes}});
    for (std::size_t p = 0; p < c.local.size(); ++p)
      EXPECT_EQ(layout.local_size(static_cast<int>(p)), c.local[p]) << c.n << " " << c.nb << " " << p;
  }
  // 9 x 9 in blocks of 2 x 2 on 2 x 3, the example of the ScaLAPACK users' guide (figure 4.6): local sizes.
  const auto guide = Layout<2>::block_cyclic({9, 9}, {2, 2}, {.shape = {2, 3}});
  const index_t sizes[] = {5 * 4, 5 * 3, 5 * 2, 4 * 4, 4 * 3, 4 * 2};
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(guide.local_size(rank), sizes[rank]);
  EXPECT_EQ(guide.owner({0, 0}), 0);
  EXPECT_EQ(guide.owner({8, 8}), 1);  // block (4, 4): process (0, 1)
  EXPECT_EQ(guide.owner({2, 4}), 5);
  EXPECT_EQ(guide.storage(), StorageOrder::column_major);
  const auto by_columns =
      Layout<2>::block_cyclic({9, 9}, {2, 2}, {.shape = {2, 3}, .order = GridOrder::column_major});
  EXPECT_EQ(by_columns.owner({2, 0}), 1);
  EXPECT_EQ(by_columns.owner({0, 2}), 2);
}

TEST(Layout, tiles_are_stored_one_after_another) {
  // 5 x 7 in tiles of 2 x 3 on 2 x 1 processes. Rank 0 has the rows of tiles 0 and 2, rank 1 those of tile 1.
  const auto layout = Layout<2>::tiled({5, 7}, {2, 3}, {.shape = {2, 1}});
  EXPECT_EQ(layout.ranks(), 2);
  EXPECT_EQ(layout.block_grid(), (Extents<2>{3, 3}));
  // Neighbouring blocks of one rank are one block, unless they are tiles.
  EXPECT_EQ((Layout<2>::block_cyclic({100, 80}, {16, 16}, {.shape = {2, 1}}).block_grid()), (Extents<2>{7, 1}));
  EXPECT_EQ((Layout<2>::tiled({100, 80}, {16, 16}, {.shape = {2, 1}}).block_grid()), (Extents<2>{7, 5}));
  EXPECT_EQ(layout.block_count(0), 6);
  EXPECT_EQ(layout.block(0, 0), (Patch<2>{{0, 0}, {2, 3}}));
  EXPECT_EQ(layout.block(0, 2), (Patch<2>{{0, 6}, {2, 7}}));
  EXPECT_EQ(layout.block(0, 5), (Patch<2>{{4, 6}, {5, 7}}));
  EXPECT_EQ(layout.block(1, 1), (Patch<2>{{2, 3}, {4, 6}}));
  EXPECT_EQ(layout.local_size(0), 21);
  EXPECT_EQ(layout.local_size(1), 14);
  // Tiles follow one another. The elements within a tile are stored row by row.
  const auto place = [&](const Index<2>& at) {
    index_t offset = 0;
    layout.core().locate(at.data(), offset);
    return offset;
  };
  EXPECT_EQ(place({1, 2}), 5);
  EXPECT_EQ(place({0, 3}), 6);
  EXPECT_EQ(place({1, 6}), 13);
  EXPECT_EQ(place({4, 0}), 14);
  EXPECT_EQ(place({4, 6}), 20);
  EXPECT_EQ(place({3, 4}), 10);
  const auto uneven = Layout<1>::tiled({10}, {{{0, 1, 5, 6}}}, {.shape = {2}});
  EXPECT_EQ(uneven.block(0, 1), (Patch<1>{{5}, {6}}));
  EXPECT_EQ(uneven.block(1, 1), (Patch<1>{{6}, {10}}));
  EXPECT_EQ(uneven.local_size(1), 8);
}

TEST(Layout, blocks_may_be_given_by_a_list_or_a_policy) {
  // A spiral of five blocks, which no grid makes.
  const std::vector<OwnedPatch<2>> spiral = {{0, {{0, 0}, {1, 2}}},
                                             {1, {{0, 2}, {2, 3}}},
                                             {2, {{2, 1}, {3, 3}}},
                                             {0, {{1, 0}, {3, 1}}},
                                             {3, {{1, 1}, {2, 2}}}};
  const auto layout = Layout<2>::of_blocks({3, 3}, spiral);
  EXPECT_EQ(layout.ranks(), 4);
  EXPECT_EQ(layout.block_count(0), 2);
  EXPECT_EQ(layout.owner({2, 0}), 0);
  EXPECT_EQ(layout.owner({1, 1}), 3);
  EXPECT_EQ(layout.local_size(0), 4);
  EXPECT_FALSE(layout.coordinates(0).has_value());
  const auto diagonal = Layout<2>::by_policy({4, 4}, 3, [](const Extents<2>& dims, int ranks) {
    std::vector<OwnedPatch<2>> blocks;
    for (index_t i = 0; i < dims[0]; i += 2) {
      for (index_t j = 0; j < dims[1]; j += 2)
        blocks.push_back({static_cast<int>((i + j) / 2 % ranks), Patch<2>::at({i, j}, {2, 2})});
    }
    return blocks;
  });
  EXPECT_EQ(diagonal.ranks(), 3);
  EXPECT_EQ(diagonal.owner({3, 3}), 2);
  EXPECT_EQ(diagonal.owner({0, 2}), 1);
}

TEST(Layout, on_ranks_gives_the_blocks_to_those_ranks) {
  const auto layout = Layout<1>::blocked({9}, 3).on_ranks({5, 1, 2}, 7);
  EXPECT_EQ(layout.ranks(), 7);
  EXPECT_EQ(layout.block(5), (Patch<1>{{0}, {3}}));
  EXPECT_EQ(layout.block(1), (Patch<1>{{3}, {6}}));
  EXPECT_EQ(layout.owner({8}), 2);
  EXPECT_EQ(layout.local_size(0), 0);
  EXPECT_EQ(layout.coordinates(2), (Index<1>{2}));
  EXPECT_FALSE(layout.coordinates(0).has_value());
  // The places of those ranks are given to other ranks.
  const auto again = layout.on_ranks({6, 5, 4, 3, 2, 1, 0}, 8);
  EXPECT_EQ(again.ranks(), 8);
  EXPECT_EQ(again.owner({0}), 1);
  EXPECT_EQ(again.owner({8}), 4);
  EXPECT_FALSE(layout == again);
}

TEST(Layout, blocks_may_be_larger_than_the_extents) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (const index_t block : {most, most - 5}) {
    const auto layout = Layout<1>::block_cyclic({10}, {block}, {.shape = {2}}, 2);
    EXPECT_EQ(layout.block_count(0), 1);
    EXPECT_EQ(layout.block(0, 0), Patch<1>::whole({10}));
    EXPECT_EQ(layout.block_count(1), 0);
  }
  // Found without a search through all of these ranks.
  EXPECT_EQ(Layout<2>::blocked({20, 20}, 1 << 20).grid(), (Extents<2>{20, 20}));
}

TEST(Layout, extents_may_exceed_32_bits) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  const index_t n = (index_t{1} << 32) + 11;
  const auto plane = Layout<2>::blocked({n, n / 4}, 6);
  EXPECT_EQ(plane.grid(), (Extents<2>{6, 1}));
  index_t sum = 0;
  for (int rank = 0; rank < 6; ++rank) sum += plane.local_size(rank);
  EXPECT_EQ(sum, n * (n / 4));
  EXPECT_EQ(plane.owner({n - 1, 0}), 5);
  EXPECT_EQ(plane.locate(Patch<2>::whole({n, n / 4})).size(), 6U);

  for (const index_t extent : {most, most - 1, most - 7}) {
    for (const auto& layout :
         {Layout<1>::blocked({extent}, 7), Layout<1>::irregular({extent}, {{{0, 5, extent - 1}}}, 7),
          Layout<1>::block_cyclic({extent}, {extent / 3}, {.shape = {2}}, 7),
          Layout<1>::block_cyclic({extent}, {extent}, {.shape = {2}}, 7)}) {
      SCOPED_TRACE(layout.description());
      index_t all = 0;
      for (int rank = 0; rank < 7; ++rank) all += layout.local_size(rank);
      EXPECT_EQ(all, extent);
      index_t covered = 0, next = 0;
      for (const auto& part : layout.locate(Patch<1>::whole({extent}))) {
        EXPECT_EQ(part.patch.lo[0], next);
        next = part.patch.hi[0];
        covered += part.patch.size();
        EXPECT_EQ(layout.owner(part.patch.lo), part.rank);
        EXPECT_EQ(layout.owner({part.patch.hi[0] - 1}), part.rank);
      }
      EXPECT_EQ(covered, extent);
    }
  }
}

}  // namespace
