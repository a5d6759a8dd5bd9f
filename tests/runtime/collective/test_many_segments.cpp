// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// A number that identifies a segment, one of its slices, and the rank that stored it.
std::int64_t content(int segment, int owner, int author) {
  return index_t{100} * segment + 10 * owner + author;
}

// Segments are closed in a random order, the same on every rank. The others stay intact to the end.
TEST(ManySegments, stay_intact_while_others_are_closed) {
  const Group& all = world();
  const int count = times(all, all.size() <= 3 ? 10000 : 500, 500);
  all.sync();
  const index_t before = runtime().memory_in_use();
  const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
  std::vector<Segment> segments;
  for (int i = 0; i < count; ++i) {
    Segment& segment = segments.emplace_back(all, 8 + i % 37 * 8, "one of many");
    segment.store(right, i % 37 * 8, content(i, right, all.rank()));
  }
  all.sync();
  EXPECT_GE(runtime().memory_in_use(), before + 64 * count);
  std::vector<int> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  Random random(100);
  std::shuffle(order.begin(), order.end(), random);
  Comparison compared;
  auto look = [&](int i) {
    compared(i, content(i, all.rank(), left), segments[at(i)].load<std::int64_t>(all.rank(), i % 37 * 8));
  };
  for (int i = 0; i < count / 2; ++i) {
    look(order[at(i)]);
    segments[at(order[at(i)])].close();
    // Another segment may get its memory at once, which must not disturb the rest.
    if (i % 5 == 0) {
      Segment passing(all, 320, "passing");
      std::memset(passing.address(all.rank()), 0xee, 320);
    }
  }
  all.sync();
  for (int i = count / 2; i < count; ++i) look(order[at(i)]);
  EXPECT_TRUE(compared.equal());
  all.sync();
  segments.clear();
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
}

// Segments one after another, dropped or closed. TESSERA_TEST_LARGE makes it 100,000.
TEST(ManySegments, are_freed_before_long) {
  const Group& all = world();
  const bool large = std::getenv("TESSERA_TEST_LARGE") != nullptr;
  const int count = large ? 100000 : times(all, all.size() <= 3 ? 3000 : 500, 500);
  all.sync();
  const index_t before = runtime().memory_in_use();
  index_t most = 0;
  Comparison compared;
  for (int i = 0; i < count; ++i) {
    Segment segment(all, i % 500 == 0 ? 100000 : 8 + i % 37 * 8, "passing");
    segment.store(all.rank(), 0, content(i, all.rank(), all.rank()));
    compared(i, content(i, all.rank(), all.rank()), segment.load<std::int64_t>(all.rank(), 0));
    most = std::max(most, runtime().memory_in_use());
    if (i % 3 == 0) segment.close();
  }
  EXPECT_TRUE(compared.equal());
  // Dropped segments are freed before long, not at the end.
  EXPECT_LE(most, before + 500000);
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
}

}  // namespace
