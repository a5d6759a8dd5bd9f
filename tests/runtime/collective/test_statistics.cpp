// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/statistics.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

std::size_t number_of(Path path) { return static_cast<std::size_t>(path); }
std::size_t number_of(Operation operation) { return static_cast<std::size_t>(operation); }

// Operations and bytes, without the times.
struct Counts {
  std::array<std::array<std::array<std::uint64_t, 2>, operation_count>, path_count> of{};

  Counts() = default;
  explicit Counts(const Statistics::Table& table) {
    for (std::size_t p = 0; p < path_count; ++p) {
      for (std::size_t o = 0; o < operation_count; ++o) of[p][o] = {table[p][o].operations, table[p][o].bytes};
    }
  }
  void add(Path path, Operation operation, std::uint64_t operations, std::uint64_t bytes) {
    of[number_of(path)][number_of(operation)][0] += operations;
    of[number_of(path)][number_of(operation)][1] += bytes;
  }
  friend Counts operator-(Counts a, const Counts& b) {
    for (std::size_t p = 0; p < path_count; ++p) {
      for (std::size_t o = 0; o < operation_count; ++o) {
        for (std::size_t i = 0; i < 2; ++i) a.of[p][o][i] -= b.of[p][o][i];
      }
    }
    return a;
  }
  friend bool operator==(const Counts&, const Counts&) = default;
};

constexpr index_t area = 800;  // of each rank in every slice

// Makes known operations on one target and returns the counts that they should have.
Counts operate(Segment& segment, int rank) {
  const Path copies = path_to(segment, rank, true), updates = path_to(segment, rank, false);
  const index_t begin = area * segment.group().rank();
  std::vector<std::int64_t> data(100, 1);
  std::vector<std::byte> found(100);
  Counts counts;
  for (int i = 0; i < 3 + rank; ++i) segment.put(rank, begin + 8, Strided::contiguous(104), data.data());
  segment.put(rank, begin,
              {.run = 8, .levels = 2, .count = {3, 2}, .remote_stride = {16, 64}, .local_stride = {8, 24}},
              data.data());
  segment.put_async(rank, begin, Strided::contiguous(56), data.data()).wait();
  for (int i = 0; i < 70; ++i) segment.store(rank, begin + 8 * (i % 10), std::int64_t{i});
  counts.add(copies, Operation::put, static_cast<std::uint64_t>(3 + rank + 1 + 1 + 70),
             static_cast<std::uint64_t>((3 + rank) * 104 + 48 + 56 + 70 * 8));

  segment.get(rank, begin + 3, Strided::contiguous(33), found.data());
  segment.get_async(rank, begin, Strided::contiguous(16), found.data()).wait();
  for (int i = 0; i < 200; ++i) static_cast<void>(segment.load<std::int32_t>(rank, begin + 4 * (i % 10)));
  counts.add(copies, Operation::get, 202, 33 + 16 + 800);

  const std::int64_t one = 1;
  segment.accumulate(rank, begin, Strided::contiguous(80), ElementKind::int64, &one, data.data());
  segment.accumulate(rank, begin, Strided::contiguous(24), ElementKind::int64, Update::max, data.data());
  segment.accumulate_async(rank, begin, Strided::contiguous(8), ElementKind::int64, &one, data.data()).wait();
  counts.add(updates, Operation::accumulate, 3, 80 + 24 + 8);

  std::int64_t old = 0;
  std::int32_t small = 1, before = 0;
  for (int i = 0; i < 130; ++i) segment.fetch_add(rank, begin + 8, ElementKind::int64, &one, &old);
  segment.fetch_op(rank, begin + 16, ElementKind::int64, Update::replace, &one, &old);
  segment.fetch_op(rank, begin + 24, ElementKind::int32, Update::bit_or, &small, &before);
  counts.add(updates, Operation::atomic, 132, 131 * 8 + 4);
  if (has_compare_exchange(segment)) {
    segment.compare_exchange(rank, begin + 32, ElementKind::int32, &before, &small);
    counts.add(updates, Operation::atomic, 1, 4);
  }
  return counts;
}

TEST(Statistics, count_operations_and_bytes_by_path_and_target) {
  const Group& all = world();
  for (const auto& domain : domains()) {
    const Counts at_first(runtime().statistics().total);
    Segment segment(all, area * all.size(), {.name = "counted", .domain = domain});
    EXPECT_EQ(Counts(segment.statistics().total), Counts());
    EXPECT_TRUE(segment.statistics().targets.empty());
    zero(segment, area * all.size());
    std::map<int, Counts> expected;
    Counts total;
    for (int rank = 0; rank < all.size(); rank += 2) {
      expected[rank] = operate(segment, rank);
      for (std::size_t p = 0; p < path_count; ++p) {
        for (std::size_t o = 0; o < operation_count; ++o)
          total.add(static_cast<Path>(p), static_cast<Operation>(o), expected[rank].of[p][o][0],
                    expected[rank].of[p][o][1]);
      }
    }
    const Statistics found = segment.statistics();
    EXPECT_EQ(Counts(found.total), total);
    EXPECT_EQ(found.targets.size(), expected.size());
    for (const auto& [rank, table] : found.targets)
      EXPECT_EQ(Counts(table), expected[rank]) << "target " << rank;
    for (const auto& by_path : found.total) {
      for (const Traffic& traffic : by_path) EXPECT_GE(traffic.seconds, 0.0);
    }
    EXPECT_EQ(found.of(Path::node, Operation::put).operations, total.of[0][0][0]);
    EXPECT_EQ(found.of(Path::window, Operation::atomic).bytes, total.of[1][3][1]);
    // The Runtime's counts include all segments, closed ones too.
    EXPECT_EQ(Counts(runtime().statistics().total) - at_first, total);
    EXPECT_TRUE(runtime().statistics().targets.empty());
    segment.close();
    EXPECT_EQ(Counts(runtime().statistics().total) - at_first, total);
    Path to_dropped{};
    {
      Segment dropped(all, 64, "dropped");
      to_dropped = path_to(dropped, 0, true);
      dropped.store(0, 8 * all.rank(), 1.0);
    }
    all.sync();
    total.add(to_dropped, Operation::put, 1, 8);
    EXPECT_EQ(Counts(runtime().statistics().total) - at_first, total);
  }
}

Traffic by_all_paths(const Statistics& statistics, Operation operation) {
  Traffic sum;
  for (const Path path : {Path::node, Path::window, Path::agent}) sum += statistics.of(path, operation);
  return sum;
}

TEST(Statistics, vector_transfers_count_their_bytes) {
  const Group& all = world();
  const index_t slice = 240 * all.size();  // each rank has its own places everywhere
  Segment segment(all, slice, "vector");
  zero(segment, slice);
  std::vector<std::int64_t> values(30, 1);
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  for (index_t i = 0; i < 30; ++i) {
    remote.push_back({&segment, static_cast<int>(i % all.size()), 240 * all.rank() + 8 * i});
    local.push_back(reinterpret_cast<std::byte*>(&values[at(i)]));
  }
  const Vector vector{.run = 8, .remote = remote, .local = local};
  const std::int64_t one = 1;
  put(vector);
  get(vector, VectorMethod::batched);
  accumulate(vector, ElementKind::int64, &one, VectorMethod::direct);
  const Statistics found = segment.statistics();
  for (const auto operation : {Operation::put, Operation::get, Operation::accumulate}) {
    const Traffic sum = by_all_paths(found, operation);
    EXPECT_EQ(sum.bytes, 240U) << to_string(operation);
    EXPECT_GT(sum.operations, 0U) << to_string(operation);
    EXPECT_LE(sum.operations, 30U) << to_string(operation);
  }
  EXPECT_EQ(found.targets.size(), static_cast<std::size_t>(std::min(all.size(), 30)));
  segment.sync();
}

// A list for a target on another node is an operation for each batch.
TEST(Statistics, a_batch_of_a_vector_transfer_is_one_operation) {
  const Group& all = world();
  const index_t slice = 80 * all.size();
  Segment segment(all, slice, "batches");
  zero(segment, slice);
  std::vector<std::int64_t> values(10, 1);
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  for (index_t i = 0; i < 10; ++i) {
    remote.push_back({&segment, right(), 80 * all.rank() + 8 * i});
    local.push_back(reinterpret_cast<std::byte*>(&values[at(i)]));
  }
  const Vector vector{.run = 8, .remote = remote, .local = local};
  const bool is_near = segment.address(right()) != nullptr;
  std::uint64_t operations = 0;
  for (const auto& [batch, expected] : {std::pair(0, 1U), {1, 10U}, {3, 4U}, {5, 2U}, {10, 1U}, {1000, 1U}}) {
    put(vector, {VectorMethod::batched, batch});
    operations += is_near ? 1 : expected;
    const Traffic sum = by_all_paths(segment.statistics(), Operation::put);
    EXPECT_EQ(sum.operations, operations) << "batches of " << batch;
  }
  segment.sync();
}

TEST(Statistics, scalars_are_atomic_operations) {
  const Group& all = world();
  Scalars<std::int32_t> scalars(all, 2);
  std::int32_t expected = 0;
  for (int i = 0; i < 100; ++i) scalars.fetch_add(all.size() - 1, 1, 1);
  scalars.exchange(0, 0, 5);
  scalars.compare_exchange(0, 0, expected, 6);
  scalars.store(0, 0, 7);
  static_cast<void>(scalars.load(0, 0));
  const Statistics found = scalars.statistics();
  const Traffic sum = by_all_paths(found, Operation::atomic);
  EXPECT_EQ(sum.operations, 104U);
  EXPECT_EQ(sum.bytes, 4U * 104U);
  all.sync();
}

TEST(Statistics, large_transfers_are_timed_each) {
  const Group& all = world();
  constexpr index_t bytes = 1 << 20;
  Segment segment(all, bytes, "large");
  const Bytes data(bytes);
  const Statistics before = segment.statistics();
  segment.put(all.rank(), 0, Strided::contiguous(bytes), data.data());
  const Statistics after = segment.statistics();
  EXPECT_GT(after.of(Path::node, Operation::put).seconds, before.of(Path::node, Operation::put).seconds);
  EXPECT_GT(after.targets.at(all.rank())[number_of(Path::node)][number_of(Operation::put)].seconds, 0.0);
  segment.sync();
}

}  // namespace
