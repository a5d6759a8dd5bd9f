// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "state/path_choice.hpp"

namespace {

using namespace tessera;
using tessera::detail::Amount;
using tessera::detail::PathChoice;
using tessera::detail::Verb;

TEST(PathChoice, takes_no_window_unless_one_was_measured_to_be_faster) {
  const PathChoice choice;
  EXPECT_FALSE(choice.any());
  for (const index_t run : {index_t{0}, index_t{8}, index_t{1} << 40}) {
    EXPECT_FALSE(choice.by_window(Verb::put, run, Amount::one));
    EXPECT_FALSE(choice.by_window(Verb::get, run, Amount::one));
  }
}

TEST(PathChoice, names_what_takes_the_window) {
  PathChoice choice;
  EXPECT_EQ(choice.text(), "");
  choice.put = {true, true, false, false};
  choice.get = {false, false, false, true};
  choice.get_lists = {false, false, true, false};
  EXPECT_EQ(choice.text(), "put of 8 B, put of 4 KiB, get of 1 MiB, lists of gets of 64 KiB");
}

// The lengths 8, 4 KiB, 64 KiB and 1 MiB were measured.
TEST(PathChoice, decides_by_the_longest_measured_length_that_is_not_longer) {
  PathChoice choice;
  choice.put = {false, true, false, true};
  EXPECT_TRUE(choice.any());
  EXPECT_FALSE(choice.by_window(Verb::put, 8, Amount::one));
  EXPECT_FALSE(choice.by_window(Verb::put, 4095, Amount::one));
  EXPECT_TRUE(choice.by_window(Verb::put, 4096, Amount::one));
  EXPECT_TRUE(choice.by_window(Verb::put, 65535, Amount::one));
  EXPECT_FALSE(choice.by_window(Verb::put, 65536, Amount::one));
  EXPECT_TRUE(choice.by_window(Verb::put, index_t{1} << 20, Amount::one));
  EXPECT_TRUE(choice.by_window(Verb::put, index_t{1} << 50, Amount::one));
}

TEST(PathChoice, takes_the_shortest_measured_length_for_shorter_runs) {
  PathChoice choice;
  choice.get[0] = true;
  EXPECT_TRUE(choice.by_window(Verb::get, 1, Amount::one));
  EXPECT_TRUE(choice.by_window(Verb::get, 8, Amount::one));
}

TEST(PathChoice, decides_for_puts_and_gets_apart) {
  PathChoice choice;
  choice.get = {true, true, true, true};
  EXPECT_TRUE(choice.any());
  EXPECT_TRUE(choice.by_window(Verb::get, 4096, Amount::one));
  EXPECT_FALSE(choice.by_window(Verb::put, 4096, Amount::one));
}

// Agents take a list in one message, so that a window which is faster for one run may be slower for many.
TEST(PathChoice, decides_for_lists_apart) {
  PathChoice choice;
  choice.get = {true, true, true, true};
  EXPECT_TRUE(choice.by_window(Verb::get, 8, Amount::one));
  EXPECT_FALSE(choice.by_window(Verb::get, 8, Amount::many));
  choice = {};
  choice.put_lists = {false, false, true, true};
  EXPECT_TRUE(choice.any());
  EXPECT_TRUE(choice.by_window(Verb::put, index_t{1} << 16, Amount::many));
  EXPECT_FALSE(choice.by_window(Verb::put, 4096, Amount::many));
  EXPECT_FALSE(choice.by_window(Verb::put, index_t{1} << 16, Amount::one));
}

}  // namespace
