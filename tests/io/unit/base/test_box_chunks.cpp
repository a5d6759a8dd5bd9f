// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/box_chunks.hpp"
#include "comparison.hpp"

namespace {

using tessera::index_t;
using tessera::detail::Box;
using tessera::io::detail::BoxChunks;
using tessera::test::Comparison;

using Positions = std::vector<std::vector<index_t>>;

Box box_of(const std::vector<index_t>& lo, const std::vector<index_t>& extents) {
  Box box{};
  for (std::size_t d = 0; d < lo.size(); ++d) {
    box.lo[d] = lo[d];
    box.hi[d] = lo[d] + extents[d];
  }
  return box;
}

// All positions of a box in row-major order, by counting with carries.
Positions positions_of(const Box& box, std::size_t rank) {
  Positions list;
  for (std::size_t d = 0; d < rank; ++d) {
    if (box.lo[d] >= box.hi[d]) return list;
  }
  std::vector<index_t> at(box.lo.begin(), box.lo.begin() + static_cast<std::ptrdiff_t>(rank));
  for (;;) {
    list.push_back(at);
    std::size_t d = rank;
    while (d > 0 && ++at[d - 1] == box.hi[d - 1]) {
      at[d - 1] = box.lo[d - 1];
      --d;
    }
    if (d == 0) return list;
  }
}

// The only dimension in which the second box goes on where the first one ends, or `rank`.
std::size_t joint_of(const Box& first, const Box& second, std::size_t rank) {
  std::size_t joint = rank;
  for (std::size_t d = 0; d < rank; ++d) {
    if (first.lo[d] == second.lo[d] && first.hi[d] == second.hi[d]) continue;
    if (joint < rank || first.hi[d] != second.lo[d]) return rank;
    joint = d;
  }
  return joint;
}

struct Case {
  std::vector<index_t> lo, extents;
  index_t element_bytes, max_bytes;
};

Case random_case(std::mt19937_64& random) {
  const auto pick = [&](index_t low, index_t high) {
    return low + static_cast<index_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Case one;
  const index_t rank = pick(1, 8);
  for (index_t d = 0; d < rank; ++d) {
    one.lo.push_back(pick(0, 50));
    one.extents.push_back(pick(1, rank <= 3 ? 12 : 3));
  }
  one.element_bytes = pick(1, 20);
  one.max_bytes = pick(1, 2000);
  return one;
}

TEST(BoxChunks, pieces_together_are_the_box_in_row_major_order) {
  std::mt19937_64 random(91);
  for (int round = 0; round < 300; ++round) {
    const Case one = random_case(random);
    SCOPED_TRACE(testing::PrintToString(one.extents) + ", at most " + std::to_string(one.max_bytes) + " bytes");
    const std::size_t rank = one.extents.size();
    const Box box = box_of(one.lo, one.extents);
    const BoxChunks chunks(box, static_cast<int>(rank), one.element_bytes, one.max_bytes);
    Positions found;
    for (index_t which = 0; which < chunks.count(); ++which) {
      const Positions piece = positions_of(chunks.piece(which), rank);
      EXPECT_FALSE(piece.empty()) << which;
      EXPECT_EQ(chunks.size(chunks.piece(which)), static_cast<index_t>(piece.size())) << which;
      found.insert(found.end(), piece.begin(), piece.end());
    }
    const Positions expected = positions_of(box, rank);
    ASSERT_EQ(found.size(), expected.size());
    Comparison compared;
    for (std::size_t i = 0; i < found.size(); ++i) compared(i, expected[i], found[i]);
    EXPECT_TRUE(compared.equal());
  }
}

TEST(BoxChunks, pieces_are_as_large_as_allowed_and_no_larger) {
  std::mt19937_64 random(92);
  for (int round = 0; round < 300; ++round) {
    const Case one = random_case(random);
    SCOPED_TRACE(testing::PrintToString(one.extents) + ", at most " + std::to_string(one.max_bytes) + " bytes");
    const std::size_t rank = one.extents.size();
    const BoxChunks chunks(box_of(one.lo, one.extents), static_cast<int>(rank), one.element_bytes,
                           one.max_bytes);
    for (index_t which = 0; which < chunks.count(); ++which) {
      const Box piece = chunks.piece(which);
      const index_t bytes = chunks.size(piece) * one.element_bytes;
      EXPECT_TRUE(bytes <= one.max_bytes || bytes == one.element_bytes) << which << ": " << bytes;
      // One more index in the dimension that is cut would be too much, or the next piece cannot be joined.
      const std::size_t joint = joint_of(piece, chunks.piece(which + 1), rank);
      if (joint == rank) continue;
      const index_t one_more = bytes / (piece.hi[joint] - piece.lo[joint]);
      EXPECT_GT(bytes + one_more, one.max_bytes) << which;
    }
  }
}

TEST(BoxChunks, box_that_fits_is_one_piece) {
  const BoxChunks chunks(box_of({3, 4}, {10, 5}), 2, 8, 400);
  EXPECT_EQ(chunks.count(), 1);
  EXPECT_EQ(positions_of(chunks.piece(0), 2), positions_of(box_of({3, 4}, {10, 5}), 2));
  EXPECT_EQ(BoxChunks(box_of({3, 4}, {10, 5}), 2, 8, 399).count(), 2);
}

TEST(BoxChunks, element_that_is_too_large_is_a_piece_of_its_own) {
  const BoxChunks chunks(box_of({1, 2}, {2, 3}), 2, 100, 7);
  ASSERT_EQ(chunks.count(), 6);
  const Box last = chunks.piece(5);
  EXPECT_EQ(positions_of(last, 2), (Positions{{2, 4}}));
}

TEST(BoxChunks, box_without_elements_has_no_pieces) {
  for (const auto& extents : {std::vector<index_t>{0, 4}, {4, 0}, {0, 0}}) {
    const BoxChunks chunks(box_of({1, 1}, extents), 2, 8, 64);
    EXPECT_EQ(chunks.count(), 0);
    EXPECT_EQ(chunks.size(chunks.piece(0)), 0);
  }
}

TEST(BoxChunks, piece_beyond_the_last_is_empty) {
  const BoxChunks chunks(box_of({0, 0}, {6, 5}), 2, 8, 40);
  ASSERT_EQ(chunks.count(), 6);
  EXPECT_EQ(chunks.size(chunks.piece(5)), 5);
  EXPECT_EQ(chunks.size(chunks.piece(6)), 0);
  EXPECT_EQ(chunks.size(chunks.piece(1'000'000)), 0);
}

TEST(BoxChunks, box_of_terabytes_is_counted_in_64_bits) {
  const index_t rows = (index_t{1} << 33) + 1;
  const BoxChunks chunks(box_of({7, 0}, {rows, 128}), 2, 8, index_t{1} << 20);  // 1024 rows are one piece
  ASSERT_EQ(chunks.count(), (index_t{1} << 23) + 1);
  const Box full = chunks.piece((index_t{1} << 23) - 1), last = chunks.piece(index_t{1} << 23);
  EXPECT_EQ(full.lo[0], 7 + rows - 1 - 1024);
  EXPECT_EQ(chunks.size(full), 1024 * 128);
  EXPECT_EQ(last.lo[0], 7 + rows - 1);
  EXPECT_EQ(last.hi[0], 7 + rows);
  EXPECT_EQ(chunks.size(last), 128);
}

}  // namespace
