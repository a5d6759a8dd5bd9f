// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "agents/attention.hpp"

namespace tessera::detail {
namespace {

// The number of requests with a ring before the next one without.
int rings_until_try(Attention& attention) {
  int rings = 0;
  while (!attention.is_expected()) ++rings;
  return rings;
}

TEST(Attention, GoesOnWithoutRingsWhileTheyAreAnswered) {
  Attention attention;
  EXPECT_TRUE(attention.is_expected());
  for (int i = 0; i < 100; ++i) {
    attention.learn(true);
    EXPECT_TRUE(attention.is_expected());
  }
}

TEST(Attention, TriesMoreAndMoreSeldomIfTheProcessComputes) {
  Attention attention;
  EXPECT_EQ(rings_until_try(attention), 0);
  for (const int rings : {16, 32, 64, 128, 256, 512, 1024, 1024, 1024}) {
    attention.learn(false);
    EXPECT_EQ(rings_until_try(attention), rings);
  }
}

TEST(Attention, FewAnswersDoNotMakeFailuresForgotten) {
  Attention attention;
  attention.learn(false);
  attention.learn(false);
  for (int i = 0; i < 7; ++i) attention.learn(true);
  attention.learn(false);
  EXPECT_EQ(rings_until_try(attention), 64);
  for (int i = 0; i < 8; ++i) attention.learn(true);
  attention.learn(false);
  EXPECT_EQ(rings_until_try(attention), 16);
}

}  // namespace
}  // namespace tessera::detail
