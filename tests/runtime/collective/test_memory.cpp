// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// AddressSanitizer's own malloc would end the program where another returns null.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(LocalBuffer, is_the_local_side_of_transfers) {
  const Group& all = world();
  constexpr index_t count = 5000;
  Segment segment(all, count * 8, "target");
  LocalBuffer<double> sent(count), found(count);
  EXPECT_EQ(sent.size(), count);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(sent.data()) % alignof(double), 0U);
  std::iota(sent.begin(), sent.end(), 1000.0 * all.rank());
  sent[count - 1] = -1;
  segment.put(right(), 0, Strided::contiguous(count * 8), sent.data());
  segment.sync();
  std::fill(found.begin(), found.end(), 0.0);
  Request request = segment.get_async(all.rank(), 0, Strided::contiguous(count * 8), found.data());
  request.wait();
  for (index_t i = 0; i + 1 < count; ++i) EXPECT_EQ(found[i], 1000.0 * left() + static_cast<double>(i));
  EXPECT_EQ(found[count - 1], -1);
  segment.accumulate(all.rank(), 0, Strided::contiguous(count * 8), ElementKind::float64, Update::sum,
                     found.data());
  EXPECT_EQ(segment.load<double>(all.rank(), 8), 2 * (1000.0 * left() + 1));
  const std::span<double> span(found);
  EXPECT_EQ(span.data(), found.data());
  EXPECT_EQ(span.size(), static_cast<std::size_t>(count));
  segment.sync();
}

TEST(LocalBuffer, moves_and_has_no_elements_then) {
  LocalBuffer<std::int32_t> a(10);
  a[9] = 99;
  std::int32_t* const place = a.data();
  LocalBuffer<std::int32_t> b = std::move(a);
  EXPECT_EQ(b.data(), place);
  EXPECT_EQ(b.size(), 10);
  EXPECT_EQ(b[9], 99);
  EXPECT_EQ(a.size(), 0);  // NOLINT: on purpose
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.begin(), a.end());
  b = LocalBuffer<std::int32_t>(3);
  EXPECT_EQ(b.size(), 3);
  const LocalBuffer<std::int32_t> none(0);
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.begin(), none.end());
}

TEST(LocalBuffer, impossible_sizes_are_refused) {
  EXPECT_THROW(LocalBuffer<double>(-1), UsageError);
  EXPECT_THROW(LocalBuffer<char>(std::numeric_limits<index_t>::min()), UsageError);
  EXPECT_THROW(LocalBuffer<double>(index_t{1} << 45), MemoryError);
  EXPECT_THROW(LocalBuffer<double>(index_t{1} << 61), MemoryError);  // its bytes do not fit 64 bits
  EXPECT_THROW(LocalBuffer<char>(std::numeric_limits<index_t>::max()), MemoryError);
  const LocalBuffer<double> works(100);
  EXPECT_EQ(works.size(), 100);
}

TEST(MemoryLeft, counts_what_segments_may_still_take) {
  const Group& all = world();
  constexpr index_t bytes = index_t{3} << 20, unlimited = std::numeric_limits<index_t>::max();
  const MemoryLeft before = runtime().memory_left();
  EXPECT_GT(before.process, 0);
  EXPECT_GT(before.node, 0);
  {
    const Segment segment(all, bytes, "counted");
    const index_t expected = before.process == unlimited ? unlimited : before.process - bytes;
    EXPECT_EQ(runtime().memory_left().process, expected);
  }
  all.sync();
  EXPECT_EQ(runtime().memory_left().process, before.process);
  // Half as much again as the node has is refused, whatever other programs free meanwhile.
  const index_t most = all.all_reduce(before.node, Reduce::max);
  EXPECT_THROW(Segment(all, most + most / 2, "too large"), MemoryError);
}

// The slice that a pointer points into, found by searching all slices.
std::optional<Segment::Position> position(const Segment& segment, const std::byte* pointer) {
  for (int rank = 0; rank < segment.group().size(); ++rank) {
    const std::byte* slice = segment.address(rank);
    if (slice == nullptr || pointer < slice || pointer >= slice + segment.slice_bytes()) continue;
    return Segment::Position{rank, pointer - slice};
  }
  return std::nullopt;
}

void expect_located(const Segment& segment, const std::byte* pointer) {
  const auto expected = position(segment, pointer), found = segment.locate(pointer);
  EXPECT_EQ(found.has_value(), expected.has_value());
  const auto location = runtime().locate(pointer);
  if (!expected) {
    // It may belong to another segment.
    EXPECT_FALSE(location && location->segment.name() == segment.name());
    return;
  }
  EXPECT_TRUE(found && found->rank == expected->rank && found->offset == expected->offset);
  EXPECT_TRUE(location && location->rank == expected->rank && location->offset == expected->offset);
  if (location) {
    EXPECT_EQ(location->segment.name(), segment.name());
    EXPECT_TRUE(location->segment.group() == segment.group());
  }
}

TEST(Locate, pointers_into_slices_are_found) {
  const Group& all = world();
  const Group odd_and_even = all.split(all.rank() % 2);
  std::vector<Segment> segments;
  segments.emplace_back(all, 64, "tiny");
  segments.emplace_back(all, 640, "small");
  segments.emplace_back(all, 65536, "still in a slab");
  segments.emplace_back(all, 200000 / 64 * 64, "large");
  segments.emplace_back(odd_and_even, 128, "small of a part");
  segments.emplace_back(odd_and_even, 1 << 18, "large of a part");
  segments.emplace_back(all, 64, "tiny again");
  for (const Segment& segment : segments) {
    SCOPED_TRACE(segment.name());
    const index_t bytes = segment.slice_bytes();
    for (int rank = 0; rank < segment.group().size(); ++rank) {
      const std::byte* slice = segment.address(rank);
      if (slice == nullptr) continue;
      for (const index_t offset : {index_t{0}, index_t{1}, bytes / 2, bytes - 1, bytes, index_t{-1}})
        expect_located(segment, slice + offset);
    }
  }
  // A handle found by a pointer is as good as the handle that was made.
  for (Segment& segment : segments) {
    const int me = segment.group().rank();
    auto location = runtime().locate(segment.address(me) + 8);
    EXPECT_TRUE(location.has_value());
    if (location) location->segment.store(location->rank, location->offset, 4.5);
    EXPECT_EQ(segment.load<double>(me, 8), 4.5);
  }
  all.sync();
}

TEST(Locate, other_memory_is_not_found) {
  const Group& all = world();
  Segment segment(all, 640, "somewhere");
  Segment other(all, 640, "elsewhere");
  const std::vector<double> heap(100);
  const double stack = 1;
  static const double constant = 2;
  const LocalBuffer<double> buffer(10);
  for (const void* pointer : {static_cast<const void*>(heap.data()), static_cast<const void*>(&stack),
                              static_cast<const void*>(&constant), static_cast<const void*>(buffer.data()),
                              static_cast<const void*>(nullptr), static_cast<const void*>(&segment)}) {
    EXPECT_FALSE(segment.locate(pointer).has_value());
    EXPECT_FALSE(runtime().locate(pointer).has_value());
  }
  EXPECT_FALSE(segment.locate(other.address(all.rank())).has_value());
  const std::byte* place = segment.address(all.rank());
  const std::byte* neighbour = other.address(all.rank());
  all.barrier();
  segment.close();
  EXPECT_FALSE(segment.locate(place).has_value());
  EXPECT_FALSE(runtime().locate(place).has_value());
  EXPECT_TRUE(runtime().locate(neighbour).has_value());
  Segment moved = std::move(other);
  EXPECT_FALSE(other.locate(neighbour).has_value());  // NOLINT: on purpose
  EXPECT_TRUE(moved.locate(neighbour).has_value());
  all.sync();
}

TEST(MemoryUse, peak_is_the_most_since_it_was_reset) {
  const Group& all = world();
  all.sync();
  runtime().reset_memory_peak();
  const index_t before = runtime().memory_in_use(), bytes = 1 << 20;
  EXPECT_EQ(runtime().memory_peak(), before);
  {
    const Segment first(all, bytes, "first"), second(all, 2 * bytes, "second");
    EXPECT_EQ(runtime().memory_peak(), before + 3 * bytes);
  }
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
  EXPECT_EQ(runtime().memory_peak(), before + 3 * bytes);
  runtime().reset_memory_peak();
  EXPECT_EQ(runtime().memory_peak(), before);
}

TEST(Locate, the_handle_keeps_the_memory) {
  const Group& all = world();
  all.sync();
  const index_t before = runtime().memory_in_use(), bytes = 1 << 20;
  std::optional<Location> kept;
  {
    Segment segment(all, bytes, "kept");
    segment.store(right(), 64, 100.0 + all.rank());
    segment.sync();
    // A handle on one rank is enough: no rank's memory may be freed while another rank can access it.
    if (all.rank() == all.size() - 1) kept = runtime().locate(segment.address(all.rank()) + 64);
  }
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before + bytes);
  if (kept) {
    EXPECT_TRUE(kept->segment.is_open());
    EXPECT_EQ(kept->segment.load<double>(kept->rank, kept->offset), 100.0 + left());
  }
  kept.reset();
  all.sync();
  EXPECT_EQ(runtime().memory_in_use(), before);
  // close() closes all handles.
  Segment segment(all, 64, "closed");
  const auto location = runtime().locate(segment.address(all.rank()));
  EXPECT_TRUE(location.has_value());
  segment.close();
  if (location) {
    EXPECT_FALSE(location->segment.is_open());
    EXPECT_THROW(location->segment.load<double>(0, 0), UsageError);
  }
  all.sync();
}

}  // namespace
