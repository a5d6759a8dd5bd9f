// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>
#include <optional>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "comparison.hpp"
#include "mpi_test.hpp"

// How segments are made, refused and freed. test_segment.cpp tests the operations on them.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Segment, slices_may_have_different_and_no_size) {
  const Group& all = world();
  Segment none(all, 0, "none");
  none.sync();
  none.put(0, 0, Strided::contiguous(0), nullptr);
  Segment uneven(all, all.rank() == all.size() - 1 ? 100000 : 0, "uneven");
  const std::vector<double> data(12500, all.rank());
  std::vector<double> found(12500);
  if (all.rank() == 0) uneven.put(all.size() - 1, 0, Strided::contiguous(100000), data.data());
  uneven.sync();
  uneven.get(all.size() - 1, 0, Strided::contiguous(100000), found.data());
  EXPECT_EQ(found, std::vector<double>(12500, 0));
  uneven.sync();
}

TEST(Segment, many_segments_keep_their_values_and_are_freed) {
  const Group& all = world();
  const bool fast = all.node_count() == 1 && all.size() <= 2;
  const int alive = fast ? 2000 : 100, passing = fast ? 10000 : 300;
  all.sync();
  const index_t before = runtime().memory_in_use();
  {
    std::vector<Segment> segments;
    for (int i = 0; i < alive; ++i) segments.emplace_back(all, 64 + i % 500 * 8, "one of many");
    const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
    for (int i = 0; i < alive; ++i) {
      const std::int64_t value = 10000 * all.rank() + i;
      segments[at(i)].put(right, i % 8 * 8, Strided::contiguous(8), &value);
    }
    all.sync();
    Comparison compared;
    for (int i = 0; i < alive; ++i) {
      std::int64_t value = 0;
      segments[at(i)].get(all.rank(), i % 8 * 8, Strided::contiguous(8), &value);
      compared(i, 10000 * left + i, value);
    }
    EXPECT_TRUE(compared.equal());
    EXPECT_GE(runtime().memory_in_use(), before + 64 * alive);
  }
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
  for (int i = 0; i < passing; ++i) {
    Segment segment(all, i % 97 == 0 ? 200000 : 8 * (i % 100), "passing");
    if (i % 3 == 0) segment.close();
  }
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
}

TEST(Segment, dropped_memory_returns_when_all_have_dropped_it) {
  const Group& all = world();
  all.sync();
  const index_t before = runtime().memory_in_use(), bytes = 1 << 20;
  std::vector<Segment> segments;
  for (int i = 0; i < 5; ++i) segments.emplace_back(all, bytes, "dropped");
  EXPECT_EQ(runtime().memory_in_use(), before + 5 * bytes);
  // Every rank drops another segment first. None may be freed while a rank may still write to it.
  const auto mine = static_cast<std::ptrdiff_t>(all.rank() % 5);
  const double value = 1;
  for (Segment& segment : segments) segment.put(0, 8 * all.rank(), Strided::contiguous(8), &value);
  segments.erase(segments.begin() + mine);
  all.sync();
  if (all.size() > 1) {
    EXPECT_EQ(runtime().memory_in_use(), before + 5 * bytes);
  }
  for (Segment& segment : segments) segment.put(0, 8 * all.rank(), Strided::contiguous(8), &value);
  segments.clear();
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);

  Segment closed(all, bytes, "closed");
  closed.close();
  EXPECT_EQ(runtime().memory_in_use(), before);
  // Assignment drops the old segment.
  Segment target(all, bytes, "target");
  target = Segment(all, 2 * bytes, "source");
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before + 2 * bytes);
  target.close();
  EXPECT_EQ(runtime().memory_in_use(), before);
}

void expect_unusable(Segment& segment, const char* reason) {
  double x = 0;
  const double one = 1;
  EXPECT_FALSE(segment.is_open());
  EXPECT_EQ(segment.address(0), nullptr);
  const auto text = message_of<UsageError>([&] { segment.put(0, 0, Strided::contiguous(8), &x); });
  EXPECT_NE(text.find(reason), std::string::npos) << text;
  EXPECT_THROW(segment.get(0, 0, Strided::contiguous(8), &x), UsageError);
  EXPECT_THROW(segment.accumulate(0, 0, Strided::contiguous(8), ElementKind::float64, &one, &x), UsageError);
  EXPECT_THROW(segment.fetch_add(0, 0, ElementKind::float64, &one, &x), UsageError);
  EXPECT_THROW(segment.flush(), UsageError);
  EXPECT_THROW(segment.flush(0), UsageError);
  EXPECT_THROW(segment.order_local_access(), UsageError);
  EXPECT_THROW(segment.sync(), UsageError);
  EXPECT_THROW(segment.close(), UsageError);
}

// The group of a segment is dropped or closed. Operations in flight finish before its memory is freed.
TEST(Segment, of_a_group_that_goes_is_freed_when_all_is_done) {
  const Group& all = world();
  const int right = (all.rank() + 1) % all.size();
  const std::vector<double> data(20000, 1.5);
  for (int round = 0; round < 10; ++round) {
    Group group = all.split(0);
    {
      Segment small(group, 4096, "small"), large(group, index_t{1} << 20, "large");
      Request request = large.put_async(right, 0, Strided::contiguous(160000), data.data());
      for (index_t i = 0; i < 100; ++i) small.put(right, 8 * i, Strided::contiguous(8), data.data());
      request.wait();
      if (round % 2 == 0) group = Group();
    }
    if (group) group.close();
    all.sync();
    Segment next(all, index_t{1} << 20, "where it was");
    next.sync();
  }
  all.sync();
}

TEST(Segment, closed_and_moved_from_segments_refuse) {
  Segment segment(world(), 64, "here and gone");
  Segment other = std::move(segment);
  expect_unusable(segment, "moved from");  // NOLINT: on purpose
  EXPECT_TRUE(other.is_open());
  Segment& same = other;
  other = std::move(same);
  EXPECT_TRUE(other.is_open());
  other.close();
  expect_unusable(other, "here and gone");
  EXPECT_THROW(Segment(Group(), 64), UsageError);
}

TEST(Segment, transfers_out_of_range_throw) {
  const Group& all = world();
  Segment segment(all, 1000, "small");
  const index_t bytes = segment.slice_bytes(), most = std::numeric_limits<index_t>::max();
  std::vector<double> data(200);
  const double one = 1;
  auto refuse = [&](int rank, index_t offset, const Strided& shape) {
    const auto text = message_of<UsageError>([&] { segment.put(rank, offset, shape, data.data() + 100); });
    EXPECT_NE(text.find("\"small\""), std::string::npos) << text;
    EXPECT_THROW(segment.get(rank, offset, shape, data.data() + 100), UsageError);
    EXPECT_THROW(segment.accumulate(rank, offset, shape, ElementKind::float64, &one, data.data() + 100),
                 UsageError);
  };
  refuse(0, -8, Strided::contiguous(8));
  refuse(0, bytes, Strided::contiguous(8));
  refuse(0, bytes - 8, Strided::contiguous(16));
  refuse(-1, 0, Strided::contiguous(8));
  refuse(all.size(), 0, Strided::contiguous(8));
  refuse(0, 0, {.run = 8, .levels = 1, .count = {2}, .remote_stride = {-8}, .local_stride = {8}});
  refuse(0, bytes - 16, {.run = 8, .levels = 1, .count = {3}, .remote_stride = {8}, .local_stride = {8}});
  // Sums that do not fit 64 bits must not come out as small numbers.
  refuse(0, most - 3, Strided::contiguous(8));
  refuse(0, most, Strided::contiguous(most));
  refuse(0, 8, {.run = 8, .levels = 1, .count = {3}, .remote_stride = {index_t{1} << 62}, .local_stride = {8}});
  refuse(0, 8,
         {.run = 8,
          .levels = 1,
          .count = {(index_t{1} << 32) + 1},
          .remote_stride = {index_t{1} << 32},
          .local_stride = {8}});
  double old = 0;
  EXPECT_THROW(segment.fetch_add(0, bytes - 4, ElementKind::float64, &one, &old), UsageError);
  EXPECT_THROW(segment.fetch_add(0, -8, ElementKind::float64, &one, &old), UsageError);
  EXPECT_THROW(segment.fetch_add(all.size(), 0, ElementKind::float64, &one, &old), UsageError);
  segment.sync();
}

TEST(Segment, refusals_are_the_same_on_every_rank) {
  const Group& all = world();
  const bool odd = all.rank() == all.size() - 1;
  all.sync();
  const index_t before = runtime().memory_in_use();
  for (const index_t bytes : {index_t{1} << 45, index_t{1} << 55, index_t{1} << 62}) {
    const auto text = message_of<MemoryError>([&] { Segment(all, odd ? bytes : 64, "too large"); });
    EXPECT_NE(text.find("too large"), std::string::npos) << text;
  }
  EXPECT_THROW(Segment(all, odd ? -1 : 64, "negative"), UsageError);
  if (all.size() > 1) {
    const auto text = message_of<UsageError>([&] { Segment(all, 64, odd ? "other" : "name"); });
    EXPECT_NE(text.find(odd ? "\"other\"" : "\"name\""), std::string::npos) << text;
    EXPECT_THROW(Segment(all, 64, {.name = "same", .fingerprint = odd ? 1U : 2U}), UsageError);
  }
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
  // And the next one works.
  Segment good(all, 8, "good");
  const std::int64_t mine = all.rank() + 7;
  good.put((all.rank() + 1) % all.size(), 0, Strided::contiguous(8), &mine);
  good.sync();
  std::int64_t found = 0;
  good.get(all.rank(), 0, Strided::contiguous(8), &found);
  EXPECT_EQ(found, (all.rank() + all.size() - 1) % all.size() + 7);
  good.sync();
}

TEST(Segment, mismatched_calls_are_told) {
#ifndef TESSERA_TEST_CHECKS
  GTEST_SKIP() << "collective calls are not checked in this build";
#endif
  const Group& all = world();
  if (all.size() == 1) return;
  Segment a(all, 64, "first"), b(all, 64, "second");
  const bool odd = all.rank() == all.size() - 1;
  const auto text = message_of<UsageError>([&] { (odd ? a : b).sync(); });
  EXPECT_NE(text.find("sync of \"first\""), std::string::npos) << text;
  EXPECT_NE(text.find("sync of \"second\""), std::string::npos) << text;
  EXPECT_THROW(odd ? a.close() : a.sync(), UsageError);
  EXPECT_TRUE(a.is_open());
}

}  // namespace
