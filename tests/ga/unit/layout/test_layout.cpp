// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <tessera/layout.hpp>
#include <tessera/view.hpp>

#include "message_of.hpp"
#include "array_model.hpp"
#include "layout/block_locator.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t most = std::numeric_limits<index_t>::max();

void expect_refusal(const std::function<void()>& action, std::initializer_list<std::string> parts) {
  const std::string text = message_of<UsageError>(action);
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

// The tables must find each element where the layout has it.
template <std::size_t N>
void check_locator(const Layout<N>& layout, const Patch<N>& patch) {
  const auto locate = detail::BlockLocator<N>::make(layout.core(), most);
  EXPECT_EQ(locate.has_value(), layout.core().is_product() && !layout.core().grid()->is_tiled() &&
                                    !layout.core().grid()->is_restricted() && layout.dims().size() > 0);
  if (!locate) return;
  int wrong = 0;
  for_each_index(patch, [&](const Index<N>& at) {
    index_t expected = -1, offset = -2;
    const int rank = layout.core().locate(at.data(), expected);
    wrong += static_cast<int>((*locate)(at.data(), offset) != rank || offset != expected);
  });
  EXPECT_EQ(wrong, 0) << "by tables";
}

// Everything that a layout reports, checked against the owner of each single element.
template <std::size_t N>
void check(const Layout<N>& layout, const Extents<N>& dims, int ranks, Random& random) {
  SCOPED_TRACE(layout.description());
  EXPECT_EQ(layout.dims(), dims);
  EXPECT_EQ(layout.ranks(), ranks);
  if (layout.core().is_product()) {
    EXPECT_LE(layout.grid().size(), ranks);
  }
  const Patch<N> whole = Patch<N>::whole(dims);
  std::vector<int> owner(static_cast<std::size_t>(whole.size()), -1);
  std::vector<index_t> size(static_cast<std::size_t>(ranks), 0);
  int wrong = 0;
  // Blocks cover every element once.
  for (int rank = 0; rank < ranks; ++rank) {
    for (index_t b = 0; b < layout.block_count(rank); ++b) {
      const Patch<N> block = layout.block(rank, b);
      EXPECT_FALSE(block.empty());
      for_each_index(block, [&](const Index<N>& at) {
        int& who = owner[static_cast<std::size_t>(number_of(at, dims))];
        wrong += static_cast<int>(who != -1);
        who = rank;
        ++size[static_cast<std::size_t>(rank)];
      });
    }
    EXPECT_TRUE(layout.block(rank, layout.block_count(rank)).empty());
    EXPECT_TRUE(layout.block(rank, -1).empty());
    EXPECT_EQ(layout.local_size(rank), size[static_cast<std::size_t>(rank)]) << "rank " << rank;
  }
  EXPECT_EQ(std::accumulate(size.begin(), size.end(), index_t{0}), whole.size());
  for_each_index(whole, [&](const Index<N>& at) {
    wrong += static_cast<int>(layout.owner(at) != owner[static_cast<std::size_t>(number_of(at, dims))]);
  });
  EXPECT_TRUE(layout.block(-1).empty());
  EXPECT_TRUE(layout.block(ranks).empty());
  EXPECT_EQ(layout.local_size(ranks), 0);
  // The parts of patches cover them once, with the right owners.
  for (int round = 0; round < 5; ++round) {
    const Patch<N> patch = round == 0 ? whole : random_patch(random, dims);
    std::set<index_t> seen;
    for (const OwnedPatch<N>& part : layout.locate(patch)) {
      EXPECT_FALSE(part.patch.empty());
      for_each_index(part.patch, [&](const Index<N>& at) {
        const index_t number = number_of(at, dims);
        wrong += static_cast<int>(!patch.contains(at) || !seen.insert(number).second ||
                                  owner[static_cast<std::size_t>(number)] != part.rank);
      });
    }
    EXPECT_EQ(static_cast<index_t>(seen.size()), patch.size());
  }
  // No two elements of a rank are stored at one place, and every place is within its local size.
  std::set<std::pair<int, index_t>> places;
  for_each_index(whole, [&](const Index<N>& at) {
    index_t offset = -1;
    const int rank = layout.core().locate(at.data(), offset);
    wrong +=
        static_cast<int>(rank != layout.owner(at) || offset < 0 || offset >= layout.core().local(rank).size ||
                         !places.insert({rank, offset}).second);
  });
  check_locator(layout, whole);
  // The pieces must give the same place for each element as locate does.
  const Patch<N> some = random_patch(random, dims);
  detail::Box box;
  std::copy_n(some.lo.begin(), N, box.lo.begin());
  std::copy_n(some.hi.begin(), N, box.hi.begin());
  layout.core().for_each_piece(box, [&](const detail::Piece& piece) {
    Patch<N> part;
    std::copy_n(piece.box.lo.begin(), N, &part.lo[0]);
    std::copy_n(piece.box.hi.begin(), N, &part.hi[0]);
    for_each_index(part, [&](const Index<N>& at) {
      index_t offset = -1, expected = piece.offset;
      const int rank = layout.core().locate(at.data(), offset);
      for (std::size_t d = 0; d < N; ++d) expected += (at[d] - part.lo[d]) * piece.strides[d];
      wrong += static_cast<int>(rank != piece.rank || offset != expected);
    });
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(layout, layout.with_storage(layout.storage()));
  EXPECT_TRUE(layout.same_distribution(layout.with_storage(StorageOrder::column_major)));
  if (!layout.core().has_ghosts()) {
    std::vector<OwnedPatch<N>> blocks;
    for (int rank = 0; rank < ranks; ++rank) {
      for (index_t b = 0; b < layout.block_count(rank); ++b) blocks.push_back({rank, layout.block(rank, b)});
    }
    const auto same = Layout<N>::of_blocks(dims, blocks, ranks);
    EXPECT_TRUE(layout.same_distribution(same));
    EXPECT_TRUE(same.same_distribution(layout));
    EXPECT_EQ(same, Layout<N>::of_blocks(dims, blocks, ranks));
    EXPECT_EQ(same.core().fingerprint(), (Layout<N>::of_blocks(dims, blocks, ranks).core().fingerprint()));
  }
}

template <std::size_t N>
void check_all_kinds(index_t widest, int rounds) {
  Random random(100 + N);
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (int round = 0; round < rounds; ++round) {
      Extents<N> dims;
      for (std::size_t d = 0; d < N; ++d) dims[d] = pick(random, 0, 11) == 0 ? 0 : pick(random, 1, widest);
      for (const Layout<N>& layout : layouts_of(random, dims, ranks)) check(layout, dims, ranks, random);
    }
  }
}

TEST(Layout, every_element_has_one_owner_1d) { check_all_kinds<1>(40, 6); }
TEST(Layout, every_element_has_one_owner_2d) { check_all_kinds<2>(14, 6); }
TEST(Layout, every_element_has_one_owner_3d) { check_all_kinds<3>(8, 4); }
TEST(Layout, every_element_has_one_owner_8d) { check_all_kinds<8>(2, 3); }

// All grids of `processes` processes. f is called for each.
template <std::size_t N>
void grids(std::size_t d, index_t processes, Extents<N>& grid, const std::function<void()>& f) {
  if (d + 1 == N) {
    grid[d] = processes;
    return f();
  }
  for (index_t parts = 1; parts <= processes; ++parts) {
    if (processes % parts != 0) continue;
    grid[d] = parts;
    grids(d + 1, processes / parts, grid, f);
  }
}

// The faces between neighbouring elements of two ranks, counted one by one.
template <std::size_t N>
index_t faces_cut(const Layout<N>& layout, const std::array<bool, N>& periodic) {
  index_t faces = 0;
  const Extents<N> dims = layout.dims();
  Index<N> at;
  for (index_t number = 0; number < dims.size(); ++number) {
    index_t rest = number;
    for (std::size_t d = N; d-- > 0; rest /= dims[d]) at[d] = rest % dims[d];
    for (std::size_t d = 0; d < N; ++d) {
      Index<N> next = at;
      if (++next[d] == dims[d]) {
        if (!periodic[d]) continue;
        next[d] = 0;
      }
      faces += static_cast<index_t>(layout.owner(at) != layout.owner(next));
    }
  }
  return faces;
}

template <std::size_t N>
void check_grids(index_t widest, int max_ranks, bool round_ends) {
  Random random(7);
  for (int ranks = 1; ranks <= max_ranks; ++ranks) {
    for (int round = 0; round < 5; ++round) {
      Extents<N> dims, grid;
      std::array<bool, N> periodic{};
      for (std::size_t d = 0; d < N; ++d) {
        dims[d] = pick(random, 1, widest);
        periodic[d] = round_ends && pick(random, 0, 1) == 1;
      }
      index_t used = 0, least = 0;
      Extents<N> expected;
      for (index_t processes = ranks; used == 0; --processes) {
        grids<N>(0, processes, grid, [&] {
          for (std::size_t d = 0; d < N; ++d) {
            if (grid[d] > dims[d]) return;
          }
          const index_t faces = faces_cut(Layout<N>::blocked(dims, ranks, {.grid = grid}), periodic);
          // Of equally good grids the last one, which cuts the first dimensions most.
          if (used == 0 || faces <= least) least = faces, expected = grid;
          used = processes;
        });
      }
      const Layout<N> layout = Layout<N>::blocked(dims, ranks, {.periodic = periodic});
      EXPECT_EQ(layout.grid(), expected) << layout.description() << ", " << least << " faces";
      for (int rank = 0; rank < used; ++rank) EXPECT_GT(layout.local_size(rank), 0);
    }
  }
}

TEST(Layout, automatic_grid_cuts_the_fewest_faces) {
  check_grids<1>(30, 24, false);
  check_grids<2>(20, 24, false);
  check_grids<3>(7, 24, false);
  check_grids<4>(4, 16, false);
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 4).grid(), (Extents<2>{2, 2}));
  EXPECT_EQ(Layout<3>::blocked({128, 128, 128}, 8).grid(), (Extents<3>{2, 2, 2}));
  EXPECT_EQ(Layout<2>::blocked({90, 90}, 9).grid(), (Extents<2>{3, 3}));
  EXPECT_EQ(Layout<2>::blocked({1000, 10}, 4).grid(), (Extents<2>{4, 1}));
  EXPECT_EQ(Layout<2>::blocked({10, 1000}, 4).grid(), (Extents<2>{1, 4}));
  EXPECT_EQ(Layout<3>::blocked({63, 63, 63}, 27).grid(), (Extents<3>{3, 3, 3}));
  EXPECT_EQ(Layout<2>::blocked({2, 3}, 7).grid().size(), 6);  // 7 does not fit
  // Of equally good grids, the one that cuts the first dimension most.
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 6).grid(), (Extents<2>{3, 2}));
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 2).grid(), (Extents<2>{2, 1}));
  EXPECT_EQ(Layout<2>::blocked({0, 0}, 4).grid(), (Extents<2>{1, 1}));
}

TEST(Layout, automatic_grid_of_periodic_arrays) {
  check_grids<1>(30, 12, true);
  check_grids<2>(20, 24, true);
  check_grids<3>(7, 24, true);
  // 4 x 1 and 2 x 2 both cut 4000 faces.
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 4, {.periodic = true}).grid(), (Extents<2>{4, 1}));
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 16, {.periodic = true}).grid(), (Extents<2>{4, 4}));
  // Two parts of a periodic dimension meet at two faces, two parts of another dimension at one.
  EXPECT_EQ(Layout<2>::blocked({1000, 600}, 2, {.periodic = {true, false}}).grid(), (Extents<2>{1, 2}));
  EXPECT_EQ(Layout<2>::blocked({1000, 600}, 2).grid(), (Extents<2>{2, 1}));
}

TEST(Layout, blocked_options) {
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

TEST(Layout, irregular_by_hand) {
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

TEST(Layout, tiles_by_hand) {
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

TEST(Layout, blocks_by_a_list_and_policies) {
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

TEST(Layout, restricted_to_some_ranks) {
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

TEST(Layout, bad_lists_are_told) {
  const Extents<2> dims{4, 4};
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 3}}}}); }, {"no block", "4 x 4", "3:4"});
  expect_refusal(
      [&] {
        Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 3}}}, {1, {{3, 2}, {4, 4}}}, {1, {{0, 3}, {3, 4}}}});
      },
      {"overlap", "[3:4, 2:3)"});
  expect_refusal(
      [&] {
        Layout<2>::of_blocks(dims, {{0, {{0, 0}, {4, 5}}}});
      },
      {"[0:4, 0:5)", "4 x 4", "dimension 1"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{0, {{0, 0}, {-1, 4}}}}); }, {"dimension 0"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{3, {{0, 0}, {4, 4}}}}, 3); }, {"rank 3", "3 ranks"});
  expect_refusal([&] { Layout<2>::of_blocks(dims, {{-1, {{0, 0}, {4, 4}}}}, 3); }, {"rank -1"});
  expect_refusal([&] { Layout<2>::of_blocks({-4, 4}, {}); }, {"-4"});
  expect_refusal([&] { Layout<2>::of_blocks({4, 4}, {}); }, {"no block"});
  EXPECT_EQ(Layout<2>::of_blocks({0, 4}, {}).core().size(), 0);
  expect_refusal([&] { Layout<2>::of_blocks({0, 4}, {}).grid(); }, {"no grid"});
  expect_refusal([&] { Layout<2>::blocked(dims, 4).on_ranks({0, 1, 2}, 5); }, {"4 ranks", "3"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).on_ranks({0, 5}, 5); }, {"rank 5", "5 ranks"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).on_ranks({3, 3}, 5); }, {"rank 3", "twice"});
  expect_refusal([&] { Layout<2>::tiled(dims, {0, 2}, {.shape = {1, 1}}); }, {"extent 0", "dimension 0"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {{{0, 2, 2}, {0}}}, {.shape = {1, 1}});
      },
      {"dimension 0", "increase"});
  expect_refusal([&] { Layout<2>::tiled(dims, {{{0, 2}, {0, 4}}}, {.shape = {1, 1}}); }, {"4", "dimension 1"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {{{1, 2}, {0}}}, {.shape = {1, 1}});
      },
      {"dimension 0", "begin with 0"});
  expect_refusal(
      [&] {
        Layout<2>::tiled(dims, {2, 2}, {.shape = {1, 1}}).with_ghosts({1, 0});
      },
      {"ghost", "tiled"});
  expect_refusal([&] { Layout<2>::blocked(dims, 2).with_ghosts({1, -1}); }, {"-1", "dimension 1"});
}

TEST(Layout, bad_arguments_are_told) {
  expect_refusal([] { Layout<2>::blocked({10, -3}, 2); }, {"-3", "dimension 1"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, 0); }, {"not 0"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, -4); }, {"-4"});
  expect_refusal(
      [] {
        Layout<2>::blocked({10, 3}, 4, {.grid = Extents<2>{0, 4}});
      },
      {"grid extent 0", "dimension 0"});
  expect_refusal([] { Layout<2>::blocked({10, 3}, 4, {.grid = Extents<2>{2, 3}}); }, {"6", "4 ranks"});
  expect_refusal([] { Layout<2>::blocked({most, 3}, 4); }, {"2^63"});
  expect_refusal(
      [] {
        Layout<4>::blocked({8, 8, 8, 8}, 65536, {.grid = Extents<4>{65536, 65536, 65536, 65536}});
      },
      {"65536 ranks"});
  expect_refusal([] { Layout<1>::blocked({100}, 2).with_ghosts({most}); }, {"2^63", "dimension 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{1, 5}, {0}}}); }, {"dimension 0", "begin with 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{}, {0}}}); }, {"dimension 0"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0, 5, 4}, {0}}}); }, {"dimension 0", "decrease"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0}, {0, 4}}}); }, {"4", "dimension 1", "extent 3"});
  expect_refusal([] { Layout<2>::irregular({10, 3}, {{{0, 5}, {0, 2}}}, 3); }, {"4 blocks", "3 ranks"});
  expect_refusal([] { Layout<2>::irregular({-10, 3}, {{{0}, {0}}}); }, {"-10"});
  expect_refusal([] { Layout<1>::irregular({10}, {{{0}}}, -1); }, {"-1"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({10, 3}, {0, 2}, {.shape = {1, 1}});
      },
      {"block extent 0", "dimension 0"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({10, 3}, {2, 2}, {.shape = {1, -1}});
      },
      {"grid extent -1", "dimension 1"});
  expect_refusal([] { Layout<2>::block_cyclic({10, 3}, {2, 2}, {.shape = {2, 3}}, 5); }, {"6", "5 ranks"});
  expect_refusal([] { Layout<2>::block_cyclic({-10, 3}, {2, 2}, {.shape = {1, 1}}); }, {"-10"});
  // A grid that does not fit an int must not be truncated to a small one.
  expect_refusal([] { Layout<1>::block_cyclic({10}, {2}, {.shape = {index_t{1} << 32}}); }, {"4294967296"});
  expect_refusal([] { Layout<1>::block_cyclic({10}, {2}, {.shape = {(index_t{1} << 32) + 1}}, 3); },
                 {"4294967297"});
  expect_refusal(
      [] {
        Layout<2>::block_cyclic({9, 9}, {2, 2}, {.shape = {1 << 16, 1 << 16}});
      },
      {"4294967296"});

  const auto layout = Layout<2>::blocked({10, 20}, 4);
  expect_refusal([&] { layout.owner({10, 0}); }, {"10 x 20", "dimension 0"});
  expect_refusal([&] { layout.owner({0, -1}); }, {"dimension 1", "-1"});
  expect_refusal(
      [&] {
        layout.locate({{0, 5}, {10, 25}});
      },
      {"[0:10, 5:25)", "10 x 20", "dimension 1 ends at 25"});
  expect_refusal([&] { layout.locate({{5, 5}, {4, 6}}); }, {"inverted", "dimension 0"});
}

TEST(Layout, blocks_beyond_all_extents) {
  for (const index_t block : {most, most - 5}) {
    const auto layout = Layout<1>::block_cyclic({10}, {block}, {.shape = {2}}, 2);
    EXPECT_EQ(layout.block_count(0), 1);
    EXPECT_EQ(layout.block(0, 0), Patch<1>::whole({10}));
    EXPECT_EQ(layout.block_count(1), 0);
  }
  // Found without a search through all of these ranks.
  EXPECT_EQ(Layout<2>::blocked({20, 20}, 1 << 20).grid(), (Extents<2>{20, 20}));
}

TEST(Layout, tables_of_blocks) {
  const index_t large = (index_t{1} << 40) + 12345;
  const std::array<std::vector<index_t>, 2> starts{{{0, 0, large / 5, large / 3}, {0, 8}}};
  for (const auto& layout :
       {Layout<2>::blocked({large, 9}, 6).with_ghosts({2, 1}), Layout<2>::irregular({large, 9}, starts),
        Layout<2>::block_cyclic({large, 9}, {large / 11, 2}, {.shape = {3, 2}})}) {
    SCOPED_TRACE(layout.description());
    for (const index_t from :
         {index_t{0}, large / 6 - 20, large / 5 - 20, large / 3 - 20, large / 11 * 7 - 20, large - 40})
      check_locator(layout, {{from, 0}, {from + 40, 9}});
  }
  // No tables for a few elements, nor where they would be as large as the array.
  const auto blocked = Layout<2>::blocked({4000, 4000}, 100);
  EXPECT_TRUE(detail::BlockLocator<2>::make(blocked.core(), 400).has_value());
  EXPECT_FALSE(detail::BlockLocator<2>::make(blocked.core(), 10).has_value());
  const auto thin = Layout<1>::irregular({large}, {std::vector<index_t>{0, 1, large / 2}});
  EXPECT_FALSE(detail::BlockLocator<1>::make(thin.core(), 1000000).has_value());
}

TEST(Layout, extents_beyond_32_bits) {
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
