// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/block_list.hpp>

#include "array_model.hpp"
#include "message_of.hpp"

// The tree of blocks, compared with a walk over all of them.
namespace {

using namespace tessera;
using namespace tessera::test;
using detail::BlockList;
using detail::box_of;
using detail::Coordinates;
using detail::OwnedBox;

template <std::size_t N>
Coordinates coordinates_of(const Extents<N>& dims) {
  Coordinates all{};
  std::copy(dims.begin(), dims.end(), all.begin());
  return all;
}

template <std::size_t N>
BlockList list_of(const Extents<N>& dims, int ranks, const std::vector<OwnedPatch<N>>& patches) {
  std::vector<OwnedBox> boxes;
  for (const auto& [rank, patch] : patches) boxes.push_back({rank, box_of(patch)});
  return {static_cast<int>(N), coordinates_of(dims), ranks, boxes};
}

// The blocks of each rank are stored one after another, in the order of their first elements.
template <std::size_t N>
void check_shares(const BlockList& list, std::vector<OwnedPatch<N>> patches, int ranks) {
  std::sort(patches.begin(), patches.end(), [](const OwnedPatch<N>& a, const OwnedPatch<N>& b) {
    return std::lexicographical_compare(a.patch.lo.begin(), a.patch.lo.end(), b.patch.lo.begin(),
                                        b.patch.lo.end());
  });
  ASSERT_EQ(list.blocks().size(), patches.size());
  Comparison compared;
  for (int rank = 0; rank < ranks; ++rank) {
    index_t count = 0, size = 0;
    for (const OwnedPatch<N>& expected : patches) {
      if (expected.rank != rank) continue;
      ASSERT_LT(count, list.block_count(rank));
      const BlockList::Block& found = list.block(rank, count++);
      const Patch<N> patch = patch_of_box<N>(found.box);
      compared(rank, std::tuple(rank, expected.patch.lo, expected.patch.hi, size),
               std::tuple(found.rank, patch.lo, patch.hi, found.offset));
      size += expected.patch.size();
    }
    EXPECT_EQ(list.block_count(rank), count) << rank;
    EXPECT_EQ(list.size(rank), size) << rank;
  }
  EXPECT_TRUE(compared.equal());
}

template <std::size_t N>
void check_list(Random& random, const Extents<N>& dims, int cuts) {
  constexpr int ranks = 5;
  std::vector<OwnedPatch<N>> patches;
  random_blocks(random, Patch<N>::whole(dims), ranks, cuts, patches);
  std::shuffle(patches.begin(), patches.end(), random);
  const BlockList list = list_of(dims, ranks, patches);
  std::erase_if(patches, [](const OwnedPatch<N>& block) { return block.patch.empty(); });
  check_shares(list, patches, ranks);
  Comparison found;
  for (const auto& [rank, patch] : patches) {
    for_each_index(patch, [&, rank = rank, &patch = patch](const Index<N>& at) {
      const BlockList::Block& block = list.find(at.data());
      found(at, std::pair(rank, patch.lo), std::pair(block.rank, patch_of_box<N>(block.box).lo));
    });
  }
  EXPECT_TRUE(found.equal());
  for (int round = 0; round < 5; ++round) {
    const Patch<N> part = random_patch(random, dims);
    std::size_t expected = 0;
    for (const OwnedPatch<N>& block : patches)
      expected += static_cast<std::size_t>(!intersect(block.patch, part).empty());
    std::vector<const BlockList::Block*> visited;
    list.for_each_overlap(box_of(part), [&](const BlockList::Block& block, const detail::Box& common) {
      EXPECT_EQ(patch_of_box<N>(common), intersect(patch_of_box<N>(block.box), part));
      visited.push_back(&block);
    });
    EXPECT_EQ(visited.size(), expected);
    EXPECT_TRUE(std::is_sorted(visited.begin(), visited.end()));
  }
}

TEST(BlockList, finds_the_block_of_every_element_and_every_overlap) {
  Random random(41);
  for (int round = 0; round < 40; ++round) {
    check_list<1>(random, {pick(random, 0, 50)}, static_cast<int>(pick(random, 0, 5)));
    check_list<2>(random, {pick(random, 0, 12), pick(random, 1, 12)}, static_cast<int>(pick(random, 0, 6)));
    check_list<3>(random, {pick(random, 1, 6), pick(random, 1, 6), pick(random, 1, 6)},
                  static_cast<int>(pick(random, 0, 6)));
  }
}

TEST(BlockList, two_are_equal_if_the_same_ranks_have_the_same_blocks) {
  const Extents<2> dims(4, 6);
  const OwnedPatch<2> left{0, {{0, 0}, {4, 2}}}, right{1, {{0, 2}, {4, 6}}}, nothing{1, {{2, 3}, {2, 3}}};
  const BlockList list = list_of<2>(dims, 2, {left, right});
  EXPECT_TRUE(list.is_equal(list_of<2>(dims, 2, {right, nothing, left})));
  EXPECT_FALSE(list.is_equal(list_of<2>(dims, 2, {{1, left.patch}, {0, right.patch}})));
  EXPECT_FALSE(list.is_equal(list_of<2>(dims, 2, {{0, {{0, 0}, {4, 3}}}, {1, {{0, 3}, {4, 6}}}})));
  EXPECT_FALSE(list.is_equal(list_of<2>(dims, 2, {left, {1, {{0, 2}, {2, 6}}}, {1, {{2, 2}, {4, 6}}}})));
}

TEST(BlockList, ranks_without_blocks_have_none) {
  const BlockList list = list_of<1>({7}, 1000, {{999, {{0}, {7}}}});
  EXPECT_EQ(list.block_count(0), 0);
  EXPECT_EQ(list.size(0), 0);
  EXPECT_EQ(list.block_count(998), 0);
  EXPECT_EQ(list.size(999), 7);
}

TEST(BlockList, bad_blocks_are_named) {
  const Extents<2> dims(4, 6);
  const auto refusal = [&](const std::vector<OwnedPatch<2>>& patches) {
    return message_of<UsageError>([&] { list_of(dims, 3, patches); });
  };
  const auto expect = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
  };
  expect(refusal({{0, {{0, 0}, {4, 7}}}}), {"[0:4, 0:7)", "4 x 6", "dimension 1"});
  expect(refusal({{0, {{-1, 0}, {4, 6}}}}), {"[-1:4, 0:6)", "dimension 0"});
  expect(refusal({{0, {{3, 0}, {2, 6}}}}), {"[3:2, 0:6)", "dimension 0"});
  expect(refusal({{3, {{0, 0}, {4, 6}}}}), {"rank 3", "3 ranks"});
  expect(refusal({{0, {{0, 0}, {4, 4}}}, {1, {{0, 3}, {4, 6}}}}), {"overlap", "[0:4, 3:4)"});
  // The part that no block has is named, even if it is one of many.
  expect(refusal({{0, {{0, 0}, {4, 2}}}, {1, {{0, 2}, {3, 6}}}, {2, {{3, 2}, {4, 5}}}}),
         {"no block", "[3:4, 5:6)"});
}

}  // namespace
