// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Vector transfers that write to one place several times, or that read what they write. The result is as if the
// runs were done in the order of the list.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr std::array ordered{VectorMethod::automatic, VectorMethod::conservative};
constexpr index_t rank_bytes = 96;  // of each rank in every slice

// Remote runs on few places and local runs in a small buffer, both partly overlapping. Half of the lists have
// runs of different lengths.
struct CrowdedVector {
  struct Run {
    int rank;
    index_t offset, local, length;
  };
  index_t run;
  std::vector<Run> runs;
  Bytes buffer;
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  std::vector<index_t> lengths;

  CrowdedVector(Random& random, Segment& segment, int writer, index_t element)
      : run(element * pick(random, 1, 3)) {
    const index_t count = pick(random, 2, 40);
    const bool alike = pick(random, 0, 1) == 1;
    buffer = random_bytes(random, 120);
    for (index_t i = 0; i < count; ++i) {
      const auto rank = static_cast<int>(pick(random, 0, world().size() - 1));
      const index_t offset = rank_bytes * writer + element * pick(random, 0, (rank_bytes - run) / element);
      const index_t from = element * pick(random, 0, (120 - run) / element);
      runs.push_back({rank, offset, from, alike ? run : element * pick(random, 0, run / element)});
      if (!alike) lengths.push_back(runs.back().length);
      remote.push_back({&segment, rank, offset});
      local.push_back(buffer.data() + from);
    }
  }
  Vector vector() const { return {.run = run, .remote = remote, .local = local, .lengths = lengths}; }
};

// Every rank puts to its own area of all slices. Then every rank checks its slice.
void check_crowded_puts(VectorMethod method, std::uint64_t seed) {
  const Group& all = world();
  const index_t bytes = rank_bytes * all.size();
  Segment segment(all, bytes, "crowded");
  zero(segment, bytes);
  SliceModel model(all.size(), bytes);
  Comparison compared;
  for (int writer = 0; writer < all.size(); ++writer) {
    Random random(seed + static_cast<std::uint64_t>(writer));
    for (int round = 0; round < 10; ++round) {
      const CrowdedVector sent(random, segment, writer, pick(random, 1, 9));
      for (const auto& run : sent.runs)
        model.put(run.rank, run.offset, Strided::contiguous(run.length), sent.buffer.data() + run.local);
      if (writer == all.rank()) {
        Request request = put_async(sent.vector(), method);
        if (round % 2 == 0) request.wait();
      }
      const CrowdedVector found(random, segment, writer, pick(random, 1, 9));
      Bytes expected = found.buffer;
      for (const auto& run : found.runs)
        model.get(run.rank, run.offset, Strided::contiguous(run.length), expected.data() + run.local);
      if (writer != all.rank()) continue;
      get(found.vector(), method);
      compare_bytes(compared, std::pair("get"sv, round), expected, found.buffer);
    }
  }
  segment.sync();
  EXPECT_TRUE(same_bytes(model.slices[at(all.rank())], own_slice(segment, bytes))) << to_string(method);
  EXPECT_TRUE(compared.equal()) << to_string(method);
  segment.sync();
}

TEST(VectorOverlap, the_last_of_the_list_stays) {
  for (const VectorMethod method : ordered) check_crowded_puts(method, 3);
}

// Some runs are packed, others travel alone or in parts. All are written to places that begin alike.
TEST(VectorOverlap, short_and_long_runs_keep_their_order) {
  const Group& all = world();
  constexpr std::array<index_t, 9> lengths{300'000, 8, 20'000, 16, 9'000, 24, 300'000, 70'000, 8};
  const index_t bytes = *std::max_element(lengths.begin(), lengths.end());
  Segment segment(all, bytes, "in turn");
  Random random(31);
  for (const VectorMethod method : ordered) {
    std::vector<Bytes> sources;
    std::vector<Place> remote;
    std::vector<std::byte*> local;
    Bytes expected(at(bytes));
    for (const index_t length : lengths) {
      Bytes& source = sources.emplace_back(random_bytes(random, length));
      std::copy(source.begin(), source.end(), expected.begin());
      remote.push_back({&segment, right(), 0});
      local.push_back(source.data());
    }
    put({.remote = remote, .local = local, .lengths = lengths}, method);
    segment.sync();
    EXPECT_TRUE(same_bytes(expected, own_slice(segment, bytes))) << to_string(method);
    // Into one local place: the last run stays.
    Bytes last(at(bytes)), found(at(bytes));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      remote[i].offset = bytes - lengths[i];
      local[i] = found.data();
      std::copy(expected.end() - lengths[i], expected.end(), last.begin());
    }
    get({.remote = remote, .local = local, .lengths = lengths}, method);
    EXPECT_TRUE(same_bytes(last, found)) << to_string(method);
    segment.sync();
  }
}

void check_crowded_sums(VectorMethod method, std::uint64_t seed) {
  const Group& all = world();
  const index_t bytes = rank_bytes * all.size();
  Segment segment(all, bytes, "counted");
  zero(segment, bytes);
  SliceModel model(all.size(), bytes);
  const std::int64_t alpha = -3;
  for (int writer = 0; writer < all.size(); ++writer) {
    Random random(seed + static_cast<std::uint64_t>(writer));
    for (int round = 0; round < 10; ++round) {
      // All runs are in the area of rank 0, so that the ranks meet there, too.
      CrowdedVector terms(random, segment, 0, 8);
      for (index_t byte = 0; byte < 120; byte += 8) {
        const std::int64_t x = pick(random, -1000, 1000);
        std::memcpy(terms.buffer.data() + byte, &x, sizeof x);
      }
      for (const auto& run : terms.runs) {
        for_each_pair<std::int64_t>(Strided::contiguous(run.length), model.place(run.rank, run.offset),
                                    terms.buffer.data() + run.local,
                                    [](auto old, auto x) { return old + alpha * x; });
      }
      if (writer == all.rank()) accumulate(terms.vector(), ElementKind::int64, &alpha, method);
    }
  }
  segment.sync();
  EXPECT_TRUE(same_bytes(model.slices[at(all.rank())], own_slice(segment, bytes))) << to_string(method);
  segment.sync();
}

TEST(VectorOverlap, every_term_counts) {
  for (const VectorMethod method : ordered) check_crowded_sums(method, 8);
}

// Local runs inside the slices of the node, among the places that are written. Each run reads what earlier runs
// have written.
void check_local_side_in_the_segment(VectorMethod method, std::uint64_t seed) {
  const Group& all = world();
  const index_t bytes = rank_bytes * all.size(), begin = rank_bytes * all.rank();
  Segment segment(all, bytes, "both sides");
  std::vector<int> near;
  for (int rank = 0; rank < all.size(); ++rank) {
    if (all.on_node(rank)) near.push_back(rank);
  }
  Random random(seed + static_cast<std::uint64_t>(all.rank()));
  SliceModel model(all.size(), bytes);
  zero(segment, bytes);
  for (Bytes& slice : model.slices) slice = random_bytes(random, bytes);
  for (int rank = 0; rank < all.size(); ++rank)
    segment.put(rank, begin, Strided::contiguous(rank_bytes), model.place(rank, begin));
  segment.flush();
  Comparison compared;
  for (int round = 0; round < 30; ++round) {
    const index_t run = pick(random, 1, 20), count = pick(random, 1, 30);
    const bool puts = pick(random, 0, 1) == 1;
    std::vector<Place> remote;
    std::vector<std::byte*> local;
    for (index_t i = 0; i < count; ++i) {
      const int there = static_cast<int>(pick(random, 0, all.size() - 1));
      const int here = near[at(pick(random, 0, static_cast<index_t>(near.size()) - 1))];
      // Places on other nodes never overlap the local side.
      const index_t to = begin + pick(random, 0, rank_bytes - run),
                    from = begin + pick(random, 0, rank_bytes - run);
      remote.push_back({&segment, there, to});
      local.push_back(segment.address(here) + from);
      std::byte *a = model.place(there, to), *b = model.place(here, from);
      std::memmove(puts ? a : b, puts ? b : a, at(run));
    }
    segment.order_local_access();
    const Vector vector{.run = run, .remote = remote, .local = local};
    puts ? put(vector, method) : get(vector, method);
    segment.order_local_access();
    for (int rank = 0; rank < all.size(); ++rank) {
      Bytes found(rank_bytes);
      segment.get(rank, begin, Strided::contiguous(rank_bytes), found.data());
      compare_bytes(compared, std::pair(round, rank), {model.place(rank, begin), at(rank_bytes)}, found);
    }
  }
  EXPECT_TRUE(compared.equal()) << to_string(method);
  segment.sync();
}

TEST(VectorOverlap, a_local_side_in_the_segment_is_read_in_the_order_of_the_list) {
  for (const VectorMethod method : ordered) check_local_side_in_the_segment(method, 13);
}

// The first element travels through all the others. Reading everything first would not do that.
TEST(VectorOverlap, a_chain_carries_the_first_element_to_its_end) {
  const Group& all = world();
  const int me = all.rank();
  constexpr index_t count = 20;
  for (const VectorMethod method : ordered) {
    Segment segment(all, count * 8, "chain");
    std::vector<Place> places;
    std::vector<std::byte*> local;
    for (index_t i = 0; i < count; ++i) segment.store(me, 8 * i, 1000.0 + static_cast<double>(i));
    for (index_t i = 0; i + 1 < count; ++i) {
      places.push_back({&segment, me, 8 * (i + 1)});
      local.push_back(segment.address(me) + 8 * i);
    }
    segment.order_local_access();
    put({.run = 8, .remote = places, .local = local}, method);
    for (index_t i = 0; i < count; ++i) EXPECT_EQ(segment.load<double>(me, 8 * i), 1000.0) << to_string(method);
    // Backwards, by get: each element is copied to the place before it, and only then overwritten.
    for (index_t i = 0; i < count; ++i) segment.store(me, 8 * i, 1000.0 + static_cast<double>(i));
    segment.order_local_access();
    get({.run = 8, .remote = places, .local = local}, method);
    for (index_t i = 0; i < count; ++i) {
      const index_t from = std::min(i + 1, count - 1);
      EXPECT_EQ(segment.load<double>(me, 8 * i), 1000.0 + static_cast<double>(from)) << to_string(method);
    }
    segment.sync();
  }
}

// A segment and a part of it have bytes in common.
TEST(VectorOverlap, the_last_of_the_list_stays_in_a_segment_and_its_part) {
  Segment whole(world(), 128, {.name = "whole"});
  Segment part = whole.part(16, 64, "part", 0);
  const int target = world().size() - 1;
  for (const bool part_first : {true, false}) {
    for (const VectorMethod method : ordered) {
      SCOPED_TRACE(to_string(method));
      world().sync();
      if (world().rank() != 0) continue;
      double one = 1, two = 2, found = 0;
      std::vector<Place> to{{&part, target, 8}, {&whole, target, 24}};
      if (!part_first) std::swap(to[0], to[1]);
      const std::vector<std::byte*> from{reinterpret_cast<std::byte*>(&one),
                                         reinterpret_cast<std::byte*>(&two)};
      put(Vector{.run = 8, .remote = to, .local = from}, method);
      part.get(target, 8, Strided::contiguous(8), &found);
      EXPECT_EQ(found, 2);
      whole.flush();
    }
  }
  world().sync();
}

#ifdef TESSERA_TEST_CHECKS
TEST(VectorOverlap, overlap_is_refused_where_it_is_undefined) {
  const Group& all = world();
  Segment segment(all, 64, "twice");
  zero(segment, 64);
  std::array<std::int64_t, 2> values{1, 2};
  const std::array<std::byte*, 2> local{reinterpret_cast<std::byte*>(&values[0]),
                                        reinterpret_cast<std::byte*>(&values[1])};
  const std::array<Place, 2> remote{Place{&segment, all.size() - 1, 0}, Place{&segment, all.size() - 1, 4}};
  for (const VectorMethod method : {VectorMethod::batched, VectorMethod::direct})
    EXPECT_THROW(put({.run = 8, .remote = remote, .local = local}, method), UsageError) << to_string(method);
  segment.sync();
  EXPECT_EQ(own_slice(segment, 64), Bytes(64));
  segment.sync();
}
#endif

}  // namespace
