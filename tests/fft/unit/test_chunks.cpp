// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "chunks.hpp"

#include <gtest/gtest.h>

namespace tessera::fft {
namespace {

constexpr int by_rows[] = {2, 1, 0}, by_columns[] = {0, 1, 2};

std::vector<Box> chunks(const Box& box, DimensionSet stage, std::span<const int> order, index_t bytes) {
  std::vector<Box> all;
  Chunking(box, stage, order, 16, bytes).for_each([&](const Box& chunk) { all.push_back(chunk); });
  return all;
}

TEST(Chunks, cover_each_element_once_and_have_the_stage_whole) {
  const Box box{{0, 3, 5}, {10, 20, 35}};
  for (const DimensionSet stage : {1U, 2U, 4U, 3U, 5U, 6U, 7U}) {
    for (const index_t bytes : {16, 1000, 20000, 1000000}) {
      for (const auto order : {std::span(by_rows), std::span(by_columns)}) {
        std::vector<int> hits(10 * 17 * 30);
        for (const Box& chunk : chunks(box, stage, order, bytes)) {
          for (std::size_t d = 0; d < 3; ++d) {
            if (contains(stage, only(static_cast<int>(d)))) {
              EXPECT_EQ(chunk.lo[d], box.lo[d]);
              EXPECT_EQ(chunk.hi[d], box.hi[d]);
            }
          }
          for (index_t i = chunk.lo[0]; i < chunk.hi[0]; ++i) {
            for (index_t j = chunk.lo[1]; j < chunk.hi[1]; ++j) {
              for (index_t k = chunk.lo[2]; k < chunk.hi[2]; ++k)
                ++hits[static_cast<std::size_t>(((i - 0) * 17 + j - 3) * 30 + k - 5)];
            }
          }
        }
        EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), 10 * 17 * 30);
      }
    }
  }
}

TEST(Chunks, have_runs_of_cache_lines_and_about_the_bytes_that_are_asked_for) {
  const Box box{{0, 0, 0}, {256, 256, 256}};
  for (const Box& chunk : chunks(box, 0b001, by_rows, index_t{256} << 10)) {
    EXPECT_EQ(extent(chunk, 2), 64);
    EXPECT_EQ(extent(chunk, 1), 1);
  }
  for (const Box& chunk : chunks(box, 0b011, by_rows, index_t{256} << 10)) EXPECT_EQ(extent(chunk, 2), 8);
  EXPECT_EQ(chunks(box, 0b100, by_rows, index_t{256} << 10).size(), 1024U);
}

TEST(Chunks, lie_in_memory_without_sharing_elements) {
  const Box box{{0, 0, 0}, {8, 4, 64}};
  const DenseChunk dense(box, 0b111, by_rows, 16);
  EXPECT_EQ(dense.strides[2], 1);
  EXPECT_EQ(dense.strides[1], 68);  // 64 elements, and a cache line
  EXPECT_GE(dense.strides[0], 4 * 68);
  EXPECT_GE(dense.size, 8 * dense.strides[0]);
}

}  // namespace
}  // namespace tessera::fft
