// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "ranges.hpp"
#include "variables.hpp"

// The parts of tessera-info that need no MPI.
namespace tessera::info {
namespace {

const std::vector<Setting> known_settings{
    {.name = "TESSERA_METHOD", .value = {}, .unset = {}, .meaning = {}},
    {.name = "TESSERA_PROGRESS", .value = {}, .unset = {}, .meaning = {}},
    {.name = "TESSERA_MEMORY_LIMIT", .value = {}, .unset = {}, .meaning = {}, .is_shared = false}};

TEST(Info, ranges_are_short) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1, 2, 5, 8, 9}), "0-2, 5, 8-9");
}

TEST(Info, bytes_have_a_unit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(64LL << 30), "64 GiB");
}

TEST(Info, the_nearest_name_differs_in_three_letters_at_most) {
  EXPECT_EQ(nearest("TESSERA_PROGRES", known_settings), "TESSERA_PROGRESS");
  EXPECT_EQ(nearest("TESSERA_METHODS", known_settings), "TESSERA_METHOD");
  EXPECT_EQ(nearest("TESSERA_MEM_LIMIT", known_settings), "TESSERA_MEMORY_LIMIT");
  EXPECT_EQ(nearest("TESSERA_COLOURS", known_settings), "");
}

TEST(Info, unknown_variables_of_all_ranks_are_listed_once) {
  const Json here{{"TESSERA_METHOD", "packed"}, {"TESSERA_METOD", "direct"}};
  const Json there{{"TESSERA_METOD", "direct"}, {"TESSERA_ELSEWHERE", "1"}};
  const Json found = unknown_variables({here, there, there}, known_settings);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], Json({{"name", "TESSERA_METOD"}, {"value", "direct"}, {"probably", "TESSERA_METHOD"}}));
  EXPECT_EQ(found[1], Json({{"name", "TESSERA_ELSEWHERE"}, {"value", "1"}, {"probably", ""}}));
}

TEST(Info, values_that_differ_from_rank_0_are_told_unless_each_rank_has_its_own) {
  const Json first{{"TESSERA_METHOD", "packed"}, {"TESSERA_MEMORY_LIMIT", "1G"}};
  const Json second{{"TESSERA_PROGRESS", "poll"}, {"TESSERA_METHOD", "packed"}};
  const Json found = ignored_variables({first, first, second, second}, known_settings);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "TESSERA_PROGRESS has another value on ranks 2-3; rank 0's applies to all ranks");
}

}  // namespace
}  // namespace tessera::info
