// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "by_hand.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::benchmark {
namespace {

// The expected result of a copy into memory full of `background`, byte by byte.
std::vector<std::byte> expected(const std::vector<std::byte>& from, std::size_t size, index_t offset,
                                const Rows& rows, std::byte background) {
  std::vector<std::byte> to(size, background);
  for (index_t i = 0; i < rows.count; ++i) {
    for (index_t j = 0; j < rows.bytes; ++j)
      to[static_cast<std::size_t>(offset + i * rows.to_stride + j)] =
          from[static_cast<std::size_t>(i * rows.from_stride + j)];
  }
  return to;
}

TEST(Copies, MoveTheRowsAndNothingElseAtAnyAlignment) {
  std::vector<std::byte> from(4096);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 + i / 256);
  for (const index_t bytes : {0, 1, 8, 63, 64, 65, 200, 1000}) {
    for (const index_t offset : {0, 1, 17, 63}) {
      const Rows rows{3, bytes, bytes + 24, bytes + 5};
      const std::byte background{0xAA};
      const auto right = expected(from, from.size(), offset, rows, background);
      std::vector<std::byte> copied(from.size(), background), streamed = copied;
      copy_rows(copied.data() + offset, from.data(), rows);
      stream_rows(streamed.data() + offset, from.data(), rows);
      EXPECT_EQ(copied, right) << bytes << " bytes at " << offset;
      EXPECT_EQ(streamed, right) << bytes << " bytes at " << offset;
    }
  }
}

TEST(Add, AddsTheRowsAndNothingElse) {
  std::vector<double> to(40, 1.0), right = to, from(20);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) right[10 * i + j] += from[5 * i + j];
  }
  add_rows(to.data(), from.data(), Rows{4, 3 * sizeof(double), 10 * sizeof(double), 5 * sizeof(double)});
  EXPECT_EQ(to, right);
}

TEST(Rows, TheOtherWay) {
  const Rows back = Rows{2, 8, 100, 10}.reversed();
  EXPECT_EQ(back.to_stride, 10);
  EXPECT_EQ(back.from_stride, 100);
  EXPECT_EQ(Rows::contiguous(64).count, 1);
}

}  // namespace
}  // namespace tessera::benchmark
