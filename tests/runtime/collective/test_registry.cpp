// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "state/group_state.hpp"
#include "state/registry.hpp"
#include "state/runtime_state.hpp"
#include "state/segment_state.hpp"

// The registry of a process's memory and segments.
namespace {

using namespace tessera;
using namespace tessera::test;

detail::Registry& registry() { return detail::GroupState::of(world()).runtime().registry(); }

std::vector<std::string> parts_of(const Segment& whole) {
  std::vector<std::string> names;
  for (const detail::SegmentState* part : registry().parts_of(detail::SegmentState::of(whole)))
    names.push_back(part->name());
  return names;
}

// "rank 1 of b at 8", or "nothing".
std::string place_of(const void* pointer) {
  const auto found = registry().locate(pointer);
  if (!found) return "nothing";
  return "rank " + std::to_string(found->rank) + " of " + found->segment.name() + " at " +
         std::to_string(found->offset);
}

TEST(Registry, finds_segments_that_come_and_go_in_any_order) {
  // The same on every rank: small segments, which share a mapping, and large ones with mappings of their own.
  std::mt19937 random(7);
  std::vector<std::optional<Segment>> segments(40);
  int made = 0;
  for (int round = 0; round < 120; ++round) {
    auto& segment = segments[random() % segments.size()];
    if (segment) {
      if (random() % 2 == 0) segment->close();
      segment.reset();
    } else {
      const index_t bytes =
          random() % 4 == 0 ? index_t{3} << 20 : index_t{64} * (1 + static_cast<index_t>(random() % 40));
      segment.emplace(world(), bytes, "s" + std::to_string(++made));
    }
    if (round % 10 != 9) continue;
    world().sync();
    for (const auto& one : segments) {
      if (!one) continue;
      for (int rank = 0; rank < world().size(); ++rank) {
        const std::byte* slice = one->address(rank);
        if (slice == nullptr) continue;
        const std::string here = "rank " + std::to_string(rank) + " of " + one->name() + " at ";
        const index_t last = one->slice_bytes() - 1;
        EXPECT_EQ(place_of(slice), here + "0");
        EXPECT_EQ(place_of(slice + last), here + std::to_string(last));
        EXPECT_NE(place_of(slice - 1).substr(0, here.size()), here);
        EXPECT_NE(place_of(slice + last + 1).substr(0, here.size()), here);
      }
    }
  }
  const int on_the_stack = 0;
  EXPECT_EQ(place_of(&on_the_stack), "nothing");
  EXPECT_EQ(place_of(nullptr), "nothing");
}

TEST(Registry, knows_parts_of_a_segment_until_they_or_it_are_closed) {
  Segment whole(world(), 1024, "whole"), other(world(), 1024, "other");
  EXPECT_TRUE(parts_of(whole).empty());
  Segment first = whole.part(0, 256, "first"), second = whole.part(256, 256, "second"),
          inner = second.part(16, 64, "inner"), foreign = other.part(0, 64, "foreign");
  auto names = parts_of(whole);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"first", "inner", "second"}));
  EXPECT_EQ(parts_of(other), std::vector<std::string>{"foreign"});
  // A pointer into a part is located in the segment that has the memory.
  EXPECT_EQ(place_of(inner.address(world().rank())),
            "rank " + std::to_string(world().rank()) + " of whole at 272");
  first.close();
  names = parts_of(whole);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"inner", "second"}));
  whole.close();
  EXPECT_FALSE(second.is_open());
  EXPECT_FALSE(inner.is_open());
  EXPECT_TRUE(foreign.is_open());
  EXPECT_EQ(parts_of(other), std::vector<std::string>{"foreign"});
}

TEST(Registry, keeps_the_statistics_of_segments_that_are_no_more) {
  const auto puts = [] {
    const Statistics all = registry().statistics();
    std::uint64_t sum = 0;
    for (const Path path : {Path::node, Path::window, Path::agent})
      sum += all.of(path, Operation::put).operations;
    return sum;
  };
  const std::uint64_t before = puts();
  const auto so_far = registry().operations_so_far();
  TESSERA_ASSERT_ALL(so_far.has_value());
  const std::int64_t value = 1;
  const Strided shape = Strided::contiguous(8);
  {
    Segment segment(world(), 64, "counted");
    Segment part = segment.part(0, 64, "counted too");
    for (int i = 0; i < 5; ++i) segment.put(right(), 0, shape, &value);
    part.put(right(), 8, shape, &value);
    EXPECT_EQ(puts(), before + 6);
    segment.close();
    EXPECT_EQ(puts(), before + 6);
  }
  {
    Segment dropped(world(), 64, "dropped");
    dropped.put(right(), 0, shape, &value);
  }
  world().sync();
  EXPECT_EQ(puts(), before + 7);
  EXPECT_GE(registry().operations_so_far().value_or(0), *so_far + 7);
}

TEST(Registry, closing_a_segment_completes_what_is_under_way_on_parts_of_its_parts) {
  constexpr index_t words = 4096;
  for (int round = 0; round < 5; ++round) {
    Segment whole(world(), 8 * words, "whole");
    const Segment second = whole.part(0, 8 * words, "second");
    Segment inner = second.part(0, 8 * words, "inner");
    std::vector<std::int64_t> values(words, round);
    for (index_t i = 0; i < 50; ++i) inner.put(right(), 8 * i, Strided::contiguous(8), values.data());
    std::vector<Request> requests;
    for (int i = 0; i < 20; ++i)
      requests.push_back(inner.put_async(right(), 0, Strided::contiguous(8 * words), values.data()));
    for (Request& request : requests) std::move(request).detach();
    whole.close();
    EXPECT_FALSE(inner.is_open());
  }
}

}  // namespace
