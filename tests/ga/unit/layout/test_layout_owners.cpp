// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <tessera/layout.hpp>

#include "array_model.hpp"
#include "layout/block_locator.hpp"

// Which rank has which element, and where, in random layouts of every kind.
namespace {

using namespace tessera;
using namespace tessera::test;

// The tables must find each element where the layout has it.
template <std::size_t N>
void check_locator(const Layout<N>& layout, const Patch<N>& patch) {
  const auto locate = detail::BlockLocator<N>::make(layout.core(), std::numeric_limits<index_t>::max());
  EXPECT_EQ(locate.has_value(), layout.core().is_product() && !layout.core().grid()->is_tiled() &&
                                    !layout.core().grid()->is_restricted() && layout.dims().size() > 0);
  if (!locate) return;
  Comparison compared;
  for_each_index(patch, [&](const Index<N>& at) {
    index_t expected = -1, offset = -2;
    const int rank = layout.core().locate(at.data(), expected);
    const int found = (*locate)(at.data(), offset);
    compared(at, std::pair(rank, expected), std::pair(found, offset));
  });
  EXPECT_TRUE(compared.equal()) << "by tables";
}

// Which rank's blocks have each element, by its number. Blocks cover every element once.
template <std::size_t N>
std::vector<int> owners_by_blocks(const Layout<N>& layout) {
  const Extents<N> dims = layout.dims();
  std::vector<int> owners(static_cast<std::size_t>(dims.size()), -1);
  index_t sum = 0;
  Comparison free;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    index_t size = 0;
    for (index_t b = 0; b < layout.block_count(rank); ++b) {
      const Patch<N> block = layout.block(rank, b);
      EXPECT_FALSE(block.empty());
      for_each_index(block, [&](const Index<N>& at) {
        int& owner = owners[static_cast<std::size_t>(number_of(at, dims))];
        free(at, -1, owner);
        owner = rank;
        ++size;
      });
    }
    EXPECT_TRUE(layout.block(rank, layout.block_count(rank)).empty());
    EXPECT_TRUE(layout.block(rank, -1).empty());
    EXPECT_EQ(layout.local_size(rank), size) << "rank " << rank;
    sum += size;
  }
  EXPECT_TRUE(free.equal());
  EXPECT_EQ(sum, dims.size());
  EXPECT_TRUE(layout.block(-1).empty());
  EXPECT_TRUE(layout.block(layout.ranks()).empty());
  EXPECT_EQ(layout.local_size(layout.ranks()), 0);
  return owners;
}

// The parts of a patch cover it once, with the right owners.
template <std::size_t N>
void check_parts(const Layout<N>& layout, const Patch<N>& patch, const std::vector<int>& owners) {
  std::set<index_t> seen;
  Comparison compared;
  for (const OwnedPatch<N>& part : layout.locate(patch)) {
    EXPECT_FALSE(part.patch.empty());
    for_each_index(part.patch, [&](const Index<N>& at) {
      const index_t number = number_of(at, layout.dims());
      compared.check(patch.contains(at), at, "in the patch", "outside");
      compared.check(seen.insert(number).second, at, "one part", "two");
      compared(at, owners[static_cast<std::size_t>(number)], part.rank);
    });
  }
  EXPECT_TRUE(compared.equal());
  EXPECT_EQ(static_cast<index_t>(seen.size()), patch.size());
}

// No two elements of a rank are stored at one place, and every place is within its local size.
template <std::size_t N>
void check_places(const Layout<N>& layout) {
  std::set<std::pair<int, index_t>> places;
  Comparison compared;
  for_each_index(Patch<N>::whole(layout.dims()), [&](const Index<N>& at) {
    index_t offset = -1;
    const int rank = layout.core().locate(at.data(), offset);
    compared(at, layout.owner(at), rank);
    const index_t size = layout.core().local(rank).size;
    compared.check(offset >= 0 && offset < size, at, std::pair(index_t{0}, size), offset);
    compared.check(places.insert({rank, offset}).second, at, "a place of its own", offset);
  });
  EXPECT_TRUE(compared.equal());
}

// The pieces of a patch give the same place for each element as locate does.
template <std::size_t N>
void check_pieces(const Layout<N>& layout, const Patch<N>& patch) {
  Comparison compared;
  layout.core().for_each_piece(detail::box_of(patch), [&](const detail::Piece& piece) {
    const auto part = patch_of_box<N>(piece.box);
    for_each_index(part, [&](const Index<N>& at) {
      index_t offset = -1, expected = piece.offset;
      const int rank = layout.core().locate(at.data(), offset);
      for (std::size_t d = 0; d < N; ++d) expected += (at[d] - part.lo[d]) * piece.strides[d];
      compared(at, std::pair(rank, offset), std::pair(piece.rank, expected));
    });
  });
  EXPECT_TRUE(compared.equal());
}

// The blocks by their positions: they follow each other along each dimension, and are those of their owners.
template <std::size_t N>
void check_positions(const Layout<N>& layout) {
  const Extents<N> grid = layout.block_grid();
  index_t blocks = 0, blocks_of_ranks = 0;
  for_each_index(Patch<N>::whole(grid), [&](const Index<N>& position) {
    const OwnedPatch<N> block = layout.block_at(position);
    for (std::size_t d = 0; d < N; ++d) {
      Index<N> next = position;
      ++next[d];
      EXPECT_EQ(block.patch.hi[d], next[d] < grid[d] ? layout.block_at(next).patch.lo[d] : layout.dims()[d]);
      if (position[d] == 0) {
        EXPECT_EQ(block.patch.lo[d], 0);
      }
    }
    if (block.patch.empty()) return;
    ++blocks;
    EXPECT_EQ(layout.locate(block.patch), std::vector<OwnedPatch<N>>{block});
  });
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    blocks_of_ranks += layout.block_count(rank);
    if (const auto coordinates = layout.coordinates(rank)) {
      EXPECT_EQ(layout.rank_at(*coordinates), rank);
    }
  }
  EXPECT_EQ(blocks, blocks_of_ranks);
}

// A list of all blocks is the same distribution.
template <std::size_t N>
void check_list_of_blocks(const Layout<N>& layout) {
  std::vector<OwnedPatch<N>> blocks;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    for (index_t b = 0; b < layout.block_count(rank); ++b) blocks.push_back({rank, layout.block(rank, b)});
  }
  const auto make = [&] { return Layout<N>::of_blocks(layout.dims(), blocks, layout.ranks()); };
  const auto same = make();
  EXPECT_TRUE(layout.same_distribution(same));
  EXPECT_TRUE(same.same_distribution(layout));
  EXPECT_EQ(same, make());
  EXPECT_EQ(same.core().fingerprint(), make().core().fingerprint());
}

// Everything that a layout reports, checked against the owner of each single element.
template <std::size_t N>
void check_layout(const Layout<N>& layout, const Extents<N>& dims, int ranks, Random& random) {
  SCOPED_TRACE(layout.description());
  EXPECT_EQ(layout.dims(), dims);
  EXPECT_EQ(layout.ranks(), ranks);
  if (layout.core().is_product()) {
    EXPECT_LE(layout.grid().size(), ranks);
    check_positions(layout);
  }
  const Patch<N> whole = Patch<N>::whole(dims);
  const std::vector<int> owners = owners_by_blocks(layout);
  Comparison compared;
  for_each_index(whole, [&](const Index<N>& at) {
    compared(at, owners[static_cast<std::size_t>(number_of(at, dims))], layout.owner(at));
  });
  EXPECT_TRUE(compared.equal());
  for (int round = 0; round < 5; ++round)
    check_parts(layout, round == 0 ? whole : random_patch(random, dims), owners);
  check_places(layout);
  check_locator(layout, whole);
  check_pieces(layout, random_patch(random, dims));
  EXPECT_EQ(layout, layout.with_storage(layout.storage()));
  EXPECT_TRUE(layout.same_distribution(layout.with_storage(StorageOrder::column_major)));
  if (!layout.core().has_ghosts()) check_list_of_blocks(layout);
}

template <std::size_t N>
void check_all_kinds(index_t widest, int rounds) {
  Random random(100 + N);
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (int round = 0; round < rounds; ++round) {
      Extents<N> dims;
      for (std::size_t d = 0; d < N; ++d) dims[d] = pick(random, 0, 11) == 0 ? 0 : pick(random, 1, widest);
      for (const Layout<N>& layout : layouts_of(random, dims, ranks)) check_layout(layout, dims, ranks, random);
    }
  }
}

TEST(Layout, every_element_has_one_owner_1d) { check_all_kinds<1>(40, 6); }
TEST(Layout, every_element_has_one_owner_2d) { check_all_kinds<2>(14, 6); }
TEST(Layout, every_element_has_one_owner_3d) { check_all_kinds<3>(8, 4); }
TEST(Layout, every_element_has_one_owner_8d) { check_all_kinds<8>(2, 3); }

TEST(Layout, tables_of_blocks_find_what_the_layout_finds) {
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

}  // namespace
