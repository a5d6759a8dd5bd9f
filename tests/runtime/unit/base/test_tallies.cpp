// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <tessera/runtime/statistics.hpp>

#include "base/tallies.hpp"

// How operations are counted, and how the counts are printed.
namespace {

using namespace tessera;
using tessera::detail::SegmentAccess;
using tessera::detail::Tallies;

SegmentAccess numbered(std::uint64_t number) {
  SegmentAccess segment;
  segment.number = number;
  return segment;
}

TEST(Tallies, of_all_threads_and_targets_add_up) {
  Tallies tallies;
  const SegmentAccess segment = numbered(1001);
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      detail::count_untimed(segment, tallies, i % 2, Path::node, Operation::put, 8);
      detail::count_untimed(segment, tallies, 17, Path::agent, Operation::get, 3);
    }
  };
  std::thread other(work);
  work();
  other.join();
  const Statistics found = tallies.statistics();
  EXPECT_EQ(found.of(Path::node, Operation::put).operations, 200U);
  EXPECT_EQ(found.of(Path::node, Operation::put).bytes, 1600U);
  EXPECT_EQ(found.of(Path::agent, Operation::get).bytes, 600U);
  EXPECT_EQ(found.of(Path::agent, Operation::put).operations, 0U);
  ASSERT_EQ(found.targets.size(), 3U);
  EXPECT_EQ(found.targets.at(1)[0][0].operations, 100U);
  EXPECT_EQ(found.targets.at(17)[2][1].operations, 200U);
}

// Ranks 3 and 19 have the same place in the cache.
TEST(Tallies, of_targets_that_share_a_place_in_the_cache_are_apart) {
  Tallies first, second;
  for (int i = 0; i < 5; ++i) {
    detail::count_untimed(numbered(2001), first, 3, Path::node, Operation::put, 1);
    detail::count_untimed(numbered(2001), first, 19, Path::node, Operation::put, 10);
    detail::count_untimed(numbered(2017), second, 3, Path::node, Operation::put, 100);
  }
  EXPECT_EQ(first.statistics().targets.at(3)[0][0].bytes, 5U);
  EXPECT_EQ(first.statistics().targets.at(19)[0][0].bytes, 50U);
  EXPECT_EQ(second.statistics().total[0][0].bytes, 500U);
}

TEST(Tallies, large_operations_are_timed_each) {
  Tallies tallies;
  constexpr index_t large = detail::Counted::always_timed;
  { const detail::Counted counted(numbered(3001), tallies, 0, Path::window, Operation::get, 8); }
  const auto first = tallies.statistics().of(Path::window, Operation::get);
  {
    const detail::Counted counted(numbered(3001), tallies, 0, Path::window, Operation::get, large);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const auto both = tallies.statistics().of(Path::window, Operation::get);
  EXPECT_EQ(first.operations, 1U);
  EXPECT_EQ(both.operations, 2U);
  EXPECT_EQ(both.bytes, 8U + std::uint64_t{large});
  EXPECT_GE(both.seconds - first.seconds, 0.002);
}

// Three members from rank 5 on, with slices of 100 bytes that are 128 bytes apart.
TEST(SegmentAccess, reaches_the_slices_of_its_members_and_nothing_else) {
  std::array<std::byte, 3 * 128> memory{};
  SegmentAccess segment{.number = 4001, .first_direct = 5, .direct_ranks = 3, .stride = 128, .slice = 100};
  segment.base = memory.data();
  EXPECT_EQ(segment.reach(5, 0, 100), memory.data());
  EXPECT_EQ(segment.reach(7, 92, 8), memory.data() + 2 * 128 + 92);
  for (const int rank : {4, 8, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    EXPECT_EQ(segment.reach(rank, 0, 8), nullptr) << "rank " << rank;
  for (const index_t offset :
       {index_t{93}, index_t{-1}, std::numeric_limits<index_t>::min(), std::numeric_limits<index_t>::max()})
    EXPECT_EQ(segment.reach(5, offset, 8), nullptr) << "offset " << offset;
  segment.direct_ranks = 0;
  EXPECT_EQ(segment.reach(5, 0, 8), nullptr) << "closed";
}

TEST(Tally, times_stand_for_all_operations) {
  detail::Tally tally;
  std::uint64_t stand_for = 0;
  for (std::uint64_t before = 0; before < 4096; ++before) {
    const bool begins_a_group = before % 256 == 0 || (before < 256 && (before & (before - 1)) == 0);
    if (begins_a_group) {
      EXPECT_EQ(stand_for, before) << "the first of each group stands for the others";
    }
    stand_for += tally.weight();
    tally.add(8);
  }
  EXPECT_EQ(stand_for, 4096U);
}

TEST(SegmentAccess, counts_only_where_the_tally_is_at_hand_and_no_time_is_due) {
  std::array<std::byte, 128> memory{};
  SegmentAccess segment{.number = 5001, .direct_ranks = 1, .stride = 128, .slice = 100, .base = memory.data()};
  Tallies tallies;
  EXPECT_EQ(segment.count(0, 8, 8, Operation::put), nullptr) << "no tally yet";
  detail::count_untimed(segment, tallies, 0, Path::node, Operation::put, 8);
  std::uint64_t counted = 1;
  while (segment.count(0, 8, 8, Operation::put) != nullptr) ++counted;
  EXPECT_EQ(counted, detail::Tally::timed_every);
  EXPECT_EQ(tallies.statistics().of(Path::node, Operation::put).operations, counted);
  EXPECT_EQ(segment.count(0, 96, 8, Operation::put), nullptr) << "outside";
}

TEST(Statistics, traffic_adds_up) {
  Traffic sum{.operations = 1, .bytes = 2, .seconds = 0.25};
  sum += Traffic{.operations = 10, .bytes = 20, .seconds = 0.5};
  EXPECT_EQ(sum.operations, 11U);
  EXPECT_EQ(sum.bytes, 22U);
  EXPECT_EQ(sum.seconds, 0.75);
}

// A line for each path and operation that occurred, and for no other.
TEST(Statistics, text_has_a_line_for_each_path_and_operation_that_occurred) {
  Statistics statistics;
  // By path (node, window, agent) and operation (put, get, accumulate, atomic).
  statistics.total[0][0] = {321, 4096, 0.5};
  statistics.total[1][3] = {654, 5232, 0.25};
  const std::string text = statistics.text();
  int put_lines = 0, atomic_lines = 0, others = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    auto has = [&line](const char* word) { return line.find(word) != std::string::npos; };
    put_lines += static_cast<int>(has("node") && has("put") && has("321"));
    atomic_lines += static_cast<int>(has("window") && has("atomic") && has("654"));
    others += static_cast<int>(has("accumulate"));
    begin = end + 1;
  }
  EXPECT_EQ(put_lines, 1) << text;
  EXPECT_EQ(atomic_lines, 1) << text;
  EXPECT_EQ(others, 0) << text;
}

}  // namespace
