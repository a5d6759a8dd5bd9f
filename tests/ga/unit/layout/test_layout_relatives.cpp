// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <tessera/layout.hpp>
#include <tessera/runtime/error.hpp>

// Layouts made from layouts: the same blocks with other extents, finer and coarser.
namespace {

using namespace tessera;

index_t at_random(std::mt19937& random, index_t low, index_t high) {
  return std::uniform_int_distribution<index_t>(low, high)(random);
}

// Blocked or irregular, on some of the ranks or on all.
Layout<2> any_layout(std::mt19937& random) {
  const Extents<2> dims{at_random(random, 0, 9), at_random(random, 0, 9)};
  const int ranks = static_cast<int>(at_random(random, 1, 6));
  if (at_random(random, 0, 1) == 0) {
    const auto blocked = Layout<2>::blocked(dims, ranks);
    return at_random(random, 0, 1) == 0 ? blocked : blocked.with_storage(StorageOrder::column_major);
  }
  std::array<std::vector<index_t>, 2> starts;
  for (std::size_t d = 0; d < 2; ++d) {
    starts[d] = {0};
    for (index_t more = at_random(random, 0, 2); more > 0; --more)
      starts[d].push_back(at_random(random, 0, dims[d]));
    std::sort(starts[d].begin(), starts[d].end());
  }
  std::vector<int> members(starts[0].size() * starts[1].size());
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int>(members.size() - i);
  return Layout<2>::irregular(dims, starts).on_ranks(members, 12);
}

TEST(LayoutRelatives, refined_elements_are_at_the_rank_of_their_element) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Layout<2> coarse = any_layout(random);
    const Extents<2> factors{at_random(random, 1, 3), at_random(random, 1, 3)};
    const Layout<2> fine = coarse.refined(factors);
    ASSERT_EQ(fine.dims(), (Extents<2>{coarse.dims()[0] * factors[0], coarse.dims()[1] * factors[1]}));
    EXPECT_EQ(fine.storage(), coarse.storage());
    for (index_t y = 0; y < fine.dims()[0]; ++y) {
      for (index_t x = 0; x < fine.dims()[1]; ++x)
        ASSERT_EQ(fine.owner({y, x}), coarse.owner({y / factors[0], x / factors[1]})) << fine.description();
    }
    EXPECT_TRUE(fine.coarsened(factors).same_distribution(coarse)) << coarse.description();
  }
}

TEST(LayoutRelatives, coarsened_elements_are_at_the_rank_of_their_first_element) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const Layout<2> fine = any_layout(random);
    const Extents<2> factors{at_random(random, 1, 3), at_random(random, 1, 3)};
    const Layout<2> coarse = fine.coarsened(factors);
    for (std::size_t d = 0; d < 2; ++d)
      ASSERT_EQ(coarse.dims()[d], (fine.dims()[d] + factors[d] - 1) / factors[d]);
    for (index_t y = 0; y < coarse.dims()[0]; ++y) {
      for (index_t x = 0; x < coarse.dims()[1]; ++x)
        ASSERT_EQ(coarse.owner({y, x}), fine.owner({y * factors[0], x * factors[1]})) << fine.description();
    }
  }
}

TEST(LayoutRelatives, faces_are_at_the_ranks_of_their_cells_and_the_last_ones_beside_the_last_cells) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const Layout<2> cells = any_layout(random);
    const Extents<2> dims = cells.dims();
    const Layout<2> faces = Layout<2>::like(cells, {dims[0], dims[1] + 1});
    ASSERT_EQ(faces.dims(), (Extents<2>{dims[0], dims[1] + 1}));
    for (index_t y = 0; y < dims[0]; ++y) {
      for (index_t x = 0; x < dims[1]; ++x) ASSERT_EQ(faces.owner({y, x}), cells.owner({y, x}));
      if (dims[1] > 0) {
        ASSERT_EQ(faces.owner({y, dims[1]}), cells.owner({y, dims[1] - 1}));
      }
    }
    EXPECT_TRUE(Layout<2>::like(faces, dims).same_distribution(cells));
  }
}

TEST(LayoutRelatives, agglomerated_blocks_are_at_the_rank_of_their_first_block) {
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    const Layout<2> small = any_layout(random);
    const Extents<2> factors{at_random(random, 1, 4), at_random(random, 1, 4)};
    const Layout<2> large = small.agglomerated(factors);
    ASSERT_EQ(large.dims(), small.dims());
    EXPECT_EQ(large.ranks(), small.ranks());
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_EQ(large.grid()[d], (small.grid()[d] + factors[d] - 1) / factors[d]);
    for (int rank = 0; rank < small.ranks(); ++rank) {
      const auto place = small.coordinates(rank);
      if (!place || small.block(rank).empty()) continue;
      const int first =
          small.rank_at({(*place)[0] / factors[0] * factors[0], (*place)[1] / factors[1] * factors[1]});
      EXPECT_EQ(large.owner(small.block(rank).lo), first);
    }
  }
}

TEST(LayoutRelatives, even_blocks_stay_blocks_that_are_found_without_a_table) {
  const auto cells = Layout<2>::blocked({8, 12}, 4);
  EXPECT_EQ(cells.refined(2), Layout<2>::blocked({16, 24}, 4, {.grid = cells.grid()}));
  EXPECT_EQ(cells.coarsened(2), Layout<2>::blocked({4, 6}, 4, {.grid = cells.grid()}));
}

TEST(LayoutRelatives, ghost_cells_stay_as_wide) {
  const auto cells = Layout<2>::blocked({8, 12}, 4).with_ghosts({1, 2});
  EXPECT_EQ(cells.refined(2).ghosts(), (Extents<2>{1, 2}));
  EXPECT_EQ(cells.coarsened(2).ghosts(), (Extents<2>{1, 2}));
  EXPECT_EQ(Layout<2>::like(cells, {9, 12}).ghosts(), (Extents<2>{1, 2}));
}

TEST(LayoutRelatives, say_where_blocks_begin_and_which_are_at_ends) {
  const auto uneven = Layout<2>::irregular({10, 8}, {{{0, 3, 3}, {0, 6}}});
  EXPECT_EQ(uneven.block_starts(0), (std::vector<index_t>{0, 3, 3}));
  EXPECT_EQ(uneven.block_starts(1), (std::vector<index_t>{0, 6}));
  EXPECT_EQ(Layout<2>::blocked({5, 1}, 2, {.grid = Extents<2>{2, 1}}).block_starts(0),
            (std::vector<index_t>{0, 3}));
  EXPECT_EQ(Layout<1>::block_cyclic({10}, {3}, {{2}}).block_starts(0), (std::vector<index_t>{0, 3, 6, 9}));
  EXPECT_EQ(Layout<1>::block_cyclic({10}, {3}, {{1}}).block_starts(0), (std::vector<index_t>{0}));
  EXPECT_TRUE(uneven.is_at_end(0, 0, Side::low));
  EXPECT_FALSE(uneven.is_at_end(0, 0, Side::high));
  EXPECT_FALSE(uneven.is_at_end(2, 0, Side::high)) << "its block is empty";
  EXPECT_TRUE(uneven.is_at_end(4, 0, Side::high));
  EXPECT_FALSE(uneven.is_at_end(4, 0, Side::both));
  EXPECT_TRUE(Layout<2>::blocked({4, 6}, 3, {.grid = Extents<2>{1, 3}}).is_at_end(1, 0, Side::both));
  EXPECT_THROW(uneven.is_at_end(0, 2, Side::low), UsageError);
  EXPECT_THROW(uneven.block_starts(-1), UsageError);
  EXPECT_THROW(Layout<1>::block_cyclic({10}, {3}, {{2}}).is_at_end(0, 0, Side::low), UsageError);
}

TEST(LayoutRelatives, zeros_of_a_grid_are_chosen) {
  const auto grid_of = [](const Extents<3>& dims, int ranks, const Extents<3>& grid) {
    return Layout<3>::blocked(dims, ranks, {.grid = grid}).grid();
  };
  EXPECT_EQ(grid_of({10, 10, 10}, 6, {0, 1, 0}), (Extents<3>{3, 1, 2}));
  EXPECT_EQ(grid_of({10, 10, 10}, 6, {2, 0, 1}), (Extents<3>{2, 3, 1}));
  EXPECT_EQ(grid_of({10, 10, 10}, 7, {2, 0, 1}), (Extents<3>{2, 3, 1})) << "one rank is left";
  EXPECT_EQ(grid_of({10, 2, 1}, 6, {1, 0, 0}), (Extents<3>{1, 2, 1})) << "no more than there are elements";
  EXPECT_EQ(grid_of({40, 10, 10}, 8, {0, 0, 0}), Layout<3>::blocked({40, 10, 10}, 8).grid());
  EXPECT_THROW(grid_of({10, 10, 10}, 6, {-1, 0, 0}), UsageError);
  EXPECT_THROW(grid_of({10, 10, 10}, 6, {4, 2, 0}), UsageError);
}

TEST(LayoutRelatives, are_refused_where_there_are_none) {
  const auto cells = Layout<1>::blocked({10}, 2);
  EXPECT_THROW(static_cast<void>(cells.refined(0)), UsageError);
  EXPECT_THROW(static_cast<void>(cells.coarsened(-1)), UsageError);
  EXPECT_THROW(static_cast<void>(cells.refined(index_t{1} << 61)), UsageError);
  EXPECT_THROW(static_cast<void>(Layout<2>::blocked({1 << 20, 1 << 20}, 2).refined(1 << 20)), UsageError);
  EXPECT_THROW(static_cast<void>(Layout<1>::like(cells, {-1})), UsageError);
  EXPECT_THROW(static_cast<void>(Layout<1>::block_cyclic({10}, {3}, {{2}}).refined(2)), UsageError);
  EXPECT_THROW(static_cast<void>(Layout<1>::tiled({10}, {3}, {{2}}).coarsened(2)), UsageError);
  EXPECT_THROW(static_cast<void>(Layout<1>::of_blocks({2}, {{0, {{0}, {2}}}}).refined(2)), UsageError);
}

}  // namespace
