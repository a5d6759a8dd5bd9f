// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/detail/copy.hpp>

#include "comparison.hpp"
#include "kernels/streaming.hpp"
#include "kernels/transpose.hpp"
#include "random_transfer.hpp"

// Copies in this process's memory, checked byte by byte. Bytes that are not copied must stay as they are.
namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::detail::Direction;

// Bytes that differ from their neighbours and from those of another seed.
std::vector<std::byte> marked(index_t count, int seed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i * 7 + i / 251 + static_cast<std::size_t>(seed)) % 256);
  return bytes;
}

testing::AssertionResult same_marks(const std::vector<std::byte>& expected,
                                    const std::vector<std::byte>& found) {
  Comparison compared;
  for (std::size_t i = 0; i < expected.size(); ++i)
    compared(i, std::to_integer<int>(expected[i]), std::to_integer<int>(found[i]));
  return compared.equal();
}

TEST(CopyStrided, of_random_shapes_equals_a_copy_run_by_run) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    constexpr index_t slice = 3000;
    const std::array<index_t, 6> elements{1, 3, 4, 8, 16, 64};
    const RandomTransfer t(random, slice, elements[static_cast<std::size_t>(pick(random, 0, 5))]);
    auto remote = marked(slice, 1), local = marked(t.local_bytes, 100);
    auto* there = remote.data() + t.offset;
    auto* here = local.data() + t.local_begin;
    const bool to_remote = pick(random, 0, 1) == 1;
    auto expected = to_remote ? remote : local;
    for_each_run(t.shape, [&](index_t far, index_t near) {
      const auto* from = to_remote ? here + near : there + far;
      std::copy_n(from, t.shape.run, expected.begin() + (to_remote ? t.offset + far : t.local_begin + near));
    });
    if (to_remote) {
      copy_strided(there, here, t.shape, Direction::local_to_remote);
    } else {
      copy_strided(here, there, t.shape, Direction::remote_to_local);
    }
    ASSERT_TRUE(same_marks(expected, to_remote ? remote : local)) << "round " << round;
  }
}

// Transposes to a place `shift` bytes behind the beginning of a cache line.
testing::AssertionResult transposes(const detail::Transposition& shape, index_t shift, bool streamed) {
  const auto from = marked(shape.rows * shape.from_stride, 5);
  auto found = marked(shape.columns * shape.to_stride + 128, 9), expected = found;
  const auto address = reinterpret_cast<std::uintptr_t>(found.data());
  const index_t begin = static_cast<index_t>((64 - address % 64) % 64) + shift;
  for (index_t i = 0; i < shape.rows; ++i) {
    for (index_t j = 0; j < shape.columns; ++j)
      std::copy_n(from.begin() + i * shape.from_stride + j * shape.size, shape.size,
                  expected.begin() + begin + j * shape.to_stride + i * shape.size);
  }
  transpose(found.data() + begin, from.data(), shape, streamed);
  if (streamed) detail::end_stream();
  return same_marks(expected, found);
}

// Plain and streamed; to rows that begin at a cache line, to rows that do not, and to rows that share sets of
// the caches.
TEST(Transpose, moves_every_element_of_every_size_and_nothing_else) {
  for (const index_t size : {4, 8, 16}) {
    ASSERT_TRUE(detail::can_transpose(size));
    for (const auto& [rows, columns] :
         {std::pair<index_t, index_t>{1, 1}, {3, 5}, {16, 16}, {17, 33}, {40, 7}, {130, 300}, {1100, 21}}) {
      for (const index_t shift : {index_t{0}, size}) {
        for (const index_t distance :
             {(rows * size + 63) / 64 * 64 + shift, (rows * size + 2047) / 2048 * 2048}) {
          const detail::Transposition shape{rows, columns, size, columns * size + shift, distance};
          for (const bool streamed : {false, true})
            EXPECT_TRUE(transposes(shape, shift, streamed))
                << rows << " x " << columns << " elements of " << size << " bytes, shifted by " << shift
                << ", rows at a distance of " << distance;
        }
      }
    }
  }
}

TEST(Stream, copies_any_number_of_bytes_to_any_place_and_nothing_else) {
  const auto from = marked(3000, 3);
  for (const index_t begin : {0, 1, 15, 63}) {
    for (const index_t count : {0, 1, 63, 64, 65, 512, 2777}) {
      auto found = marked(3000, 8), expected = found;
      std::copy_n(from.begin() + 5, count, expected.begin() + begin);
      detail::stream(found.data() + begin, from.data() + 5, static_cast<std::size_t>(count));
      detail::end_stream();
      EXPECT_TRUE(same_marks(expected, found)) << count << " bytes at " << begin;
    }
  }
}

}  // namespace
