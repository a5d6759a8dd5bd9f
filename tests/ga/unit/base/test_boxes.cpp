// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <tessera/core/box.hpp>

#include "array_model.hpp"
#include "base/box_chunks.hpp"

// Boxes that cover a range of row-major numbers, boxes in chunks, and lattices.
namespace {

using namespace tessera;
using namespace tessera::test;
using detail::Box;
using detail::box_of;

// The boxes have the numbers of the range in order. Two neighbours together are no such box.
template <std::size_t N>
void check_range(const Extents<N>& dims, index_t begin, index_t end) {
  index_t next = begin;
  Comparison compared;
  std::vector<Patch<N>> boxes;
  detail::for_each_box_of_range(std::span(dims.data(), N), begin, end, [&](const Box& box, index_t before) {
    const auto patch = patch_of_box<N>(box);
    EXPECT_FALSE(patch.empty());
    EXPECT_EQ(before, next - begin);
    for_each_index(patch, [&](const Index<N>& at) { compared(at, next++, number_of(at, dims)); });
    boxes.push_back(patch);
  });
  EXPECT_TRUE(compared.equal());
  EXPECT_EQ(next, end);
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    Patch<N> both = boxes[i - 1];
    for (std::size_t d = 0; d < N; ++d) {
      both.lo[d] = std::min(both.lo[d], boxes[i].lo[d]);
      both.hi[d] = std::max(both.hi[d], boxes[i].hi[d]);
    }
    EXPECT_NE(both.size(), boxes[i - 1].size() + boxes[i].size());
  }
  EXPECT_LE(boxes.size(), 2 * N - 1);
}

TEST(BoxesOfRange, have_the_numbers_of_the_range_in_order_and_are_few) {
  const Extents<2> matrix(4, 7);
  for (index_t begin = 0; begin <= 28; ++begin) {
    for (index_t end = begin; end <= 28; ++end) check_range(matrix, begin, end);
  }
  Random random(51);
  for (int round = 0; round < 400; ++round) {
    const Extents<4> dims(pick(random, 1, 4), pick(random, 1, 4), pick(random, 1, 4), pick(random, 1, 4));
    const index_t a = pick(random, 0, dims.size()), b = pick(random, 0, dims.size());
    check_range(dims, std::min(a, b), std::max(a, b));
    const Extents<1> line(dims.size());
    check_range(line, std::min(a, b), std::max(a, b));
  }
}

TEST(BoxesOfRange, of_an_empty_range_are_none) {
  const std::array<index_t, 2> dims{0, 5};
  int boxes = 0;
  detail::for_each_box_of_range(dims, 0, 0, [&](const Box&, index_t) { ++boxes; });
  EXPECT_EQ(boxes, 0);
}

TEST(BoxChunks, cover_the_box_once_and_are_small_enough) {
  Random random(52);
  for (int round = 0; round < 200; ++round) {
    const Extents<3> dims(pick(random, 1, 9), pick(random, 1, 9), pick(random, 1, 9));
    const Patch<3> patch = random_patch(random, dims);
    const index_t most = pick(random, 1, 40);
    std::vector<int> visits(static_cast<std::size_t>(dims.size()), 0);
    detail::in_chunks(box_of(patch), 3, most, [&](const Box& chunk) {
      EXPECT_LE(detail::volume(chunk, 3), most);
      for_each_index(patch_of_box<3>(chunk),
                     [&](const Index<3>& at) { ++visits[static_cast<std::size_t>(number_of(at, dims))]; });
    });
    Comparison compared;
    for_each_index(Patch<3>::whole(dims), [&](const Index<3>& at) {
      compared(at, patch.contains(at) ? 1 : 0, visits[static_cast<std::size_t>(number_of(at, dims))]);
    });
    EXPECT_TRUE(compared.equal());
  }
}

TEST(Dense, strides_are_row_major) {
  const detail::Dense dense(box_of(Patch<3>{{2, 5, 1}, {4, 8, 5}}), 3);
  EXPECT_EQ(dense.size, 24);
  EXPECT_EQ(std::vector<index_t>(dense.extents.begin(), dense.extents.begin() + 3),
            (std::vector<index_t>{2, 3, 4}));
  EXPECT_EQ(std::vector<index_t>(dense.strides.begin(), dense.strides.begin() + 3),
            (std::vector<index_t>{12, 4, 1}));
}

TEST(Lattice, extent_counts_the_first_element_of_every_step) {
  detail::Lattice lattice(box_of(Patch<1>{{3}, {10}}));
  EXPECT_EQ(lattice.extent(0), 7);
  lattice.stepped = true;
  for (index_t step = 1; step <= 9; ++step) {
    lattice.step[0] = step;
    index_t count = 0;
    for (index_t i = 3; i < 10; i += step) ++count;
    EXPECT_EQ(lattice.extent(0), count) << step;
  }
}

}  // namespace
