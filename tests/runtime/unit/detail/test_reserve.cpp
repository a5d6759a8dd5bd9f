// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <cerrno>

#include <tessera/runtime/detail/reserve.hpp>

namespace {

using tessera::index_t;
using tessera::detail::reserve_in_pieces;

constexpr index_t mebi = index_t{1} << 20;

// A kernel that reserves at most `most` bytes between two signals. A call that asks for more is interrupted and
// undone.
class Reserve : public testing::Test {
 protected:
  static constexpr index_t begin = 4096;
  int reserve(index_t bytes, index_t most) {
    end_ = begin, calls_ = 0;
    return reserve_in_pieces(begin, bytes, [&](index_t offset, index_t count) {
      ++calls_;
      EXPECT_EQ(offset, end_);
      EXPECT_GT(count, 0);
      if (count > most) return EINTR;
      if (offset + count > room_) return ENOSPC;
      end_ = offset + count;
      return 0;
    });
  }
  index_t room_ = index_t{1} << 50, end_ = 0;
  int calls_ = 0;
};

TEST_F(Reserve, takes_one_call_where_nothing_interrupts) {
  EXPECT_EQ(reserve(900 * mebi, 900 * mebi), 0);
  EXPECT_EQ(end_, begin + 900 * mebi);
  EXPECT_EQ(calls_, 1);
}

TEST_F(Reserve, gets_done_between_signals) {
  for (const index_t bytes : {1000 * mebi, 1000 * mebi + 4096, 129 * mebi - 1}) {
    EXPECT_EQ(reserve(bytes, 30 * mebi), 0);
    EXPECT_EQ(end_, begin + bytes);
    EXPECT_LT(calls_, 100);
  }
}

// A signal may come during each call.
TEST_F(Reserve, small_pieces_are_repeated_as_they_are) {
  int calls = 0;
  index_t end = 0;
  EXPECT_EQ(reserve_in_pieces(0, 3 * mebi,
                              [&](index_t offset, index_t count) {
                                if (++calls % 2 == 1) return EINTR;
                                EXPECT_EQ(offset, end);
                                EXPECT_GE(count, mebi / 2);
                                end = offset + count;
                                return 0;
                              }),
            0);
  EXPECT_EQ(end, 3 * mebi);
}

TEST_F(Reserve, returns_errors_other_than_interruptions) {
  room_ = 100 * mebi;
  EXPECT_EQ(reserve(200 * mebi, 30 * mebi), ENOSPC);
  EXPECT_LE(end_, room_);
}

TEST_F(Reserve, of_no_bytes_makes_no_call) {
  EXPECT_EQ(reserve(0, mebi), 0);
  EXPECT_EQ(calls_, 0);
}

}  // namespace
