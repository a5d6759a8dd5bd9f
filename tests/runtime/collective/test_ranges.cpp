// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Group::all_gather of ranges whose lengths differ, checked against a serial model.
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/group.hpp>

#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Ranges whose lengths are from `length`; the ranges of all members follow each other in the result.
template <class T, class Length>
void check_ranges(const Group& group, Length&& length) {
  std::vector<T> mine, expected;
  std::vector<index_t> counts;
  for (int r = 0; r < group.size(); ++r) {
    counts.push_back(length(r));
    for (index_t i = 0; i < counts.back(); ++i) expected.push_back(static_cast<T>(i * 7 + r * 13));
    if (r == group.rank()) mine.assign(expected.end() - counts.back(), expected.end());
  }
  EXPECT_TRUE(group.all_gather(std::span<T>(mine)) == expected) << "of " << expected.size() << " elements";
  EXPECT_TRUE(group.all_gather(std::span<const T>(mine), counts) == expected)
      << "of " << expected.size() << " elements by given counts";
}

// Large lengths travel in several pieces between nodes.
void check_many_lengths(const Group& group, std::initializer_list<index_t> lengths) {
  for (const index_t n : lengths) {
    check_ranges<std::int64_t>(group, [&](int r) { return n * r; });
    check_ranges<char>(group, [&](int r) { return r % 2 == 0 ? n : 1; });
    check_ranges<double>(group, [&](int r) { return r == group.size() - 1 ? 3 * n : 0; });
    check_ranges<std::int32_t>(group, [&](int) { return n; });
  }
}

TEST(Ranges, of_any_lengths_follow_each_other_by_rank) {
  const Group& all = world();
  const int me = all.rank();
  check_many_lengths(all, {0, 1, 57, 300, 9000, 60'000});
  check_many_lengths(all.split(0, -me), {3, 60'000});  // nodes and ranks in different orders
  check_many_lengths(all.split(me % 2, me), {2, 9000});
  check_many_lengths(all.node(), {5, 9000});
}

TEST(Ranges, need_counts_that_fit) {
  const Group& all = world();
  const std::array<int, 3> range{1, 2, 3};
  std::vector<index_t> counts(static_cast<std::size_t>(all.size()), 3);
  // A span of fixed length is a range, too. An array is one value.
  EXPECT_EQ(all.all_gather(std::span(range)).size(), 3 * counts.size());
  EXPECT_EQ(all.all_gather(range).size(), counts.size());
  counts.push_back(3);
  EXPECT_THROW(all.all_gather(std::span(range), counts), UsageError);
  counts.assign(static_cast<std::size_t>(all.size()), 4);
  EXPECT_THROW(all.all_gather(std::span(range), counts), UsageError);
}

}  // namespace
