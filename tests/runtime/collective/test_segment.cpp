// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// One rank puts random patches to random owners, and every rank checks them.
void check_put_and_get(const Group& group, index_t bytes, int rounds, std::uint64_t seed) {
  Segment segment(group, bytes, "bytes");
  EXPECT_TRUE(segment.is_open());
  EXPECT_EQ(segment.name(), "bytes");
  EXPECT_GE(segment.slice_bytes(), bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.address(group.rank())) % 64, 0U);
  for (int r = 0; r < group.size(); ++r) EXPECT_EQ(segment.address(r) != nullptr, group.on_node(r));
  zero(segment, bytes);
  SliceModel model(group.size(), bytes);
  Random random(seed);
  Comparison compared;
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, group.size() - 1));
    for (int i = 0; i < 8; ++i) {
      const auto owner = static_cast<int>(pick(random, 0, group.size() - 1));
      const RandomTransfer transfer(random, bytes, pick(random, 1, 16));
      const Bytes data = random_bytes(random, transfer.local_bytes);
      model.put(owner, transfer.offset, transfer.shape, data.data() + transfer.local_begin);
      if (writer == group.rank())
        segment.put(owner, transfer.offset, transfer.shape, data.data() + transfer.local_begin);
    }
    segment.sync();
    compare_bytes(compared, std::pair("puts"sv, round), model.slices[at(group.rank())],
                  own_slice(segment, bytes));
    Random own(random() + static_cast<std::uint64_t>(group.rank()));
    for (int i = 0; i < 4; ++i) {
      const auto owner = static_cast<int>(pick(own, 0, group.size() - 1));
      const RandomTransfer transfer(own, bytes, pick(own, 1, 16));
      Bytes found = random_bytes(own, transfer.local_bytes), expected = found;  // gaps stay as they are
      segment.get(owner, transfer.offset, transfer.shape, found.data() + transfer.local_begin);
      model.get(owner, transfer.offset, transfer.shape, expected.data() + transfer.local_begin);
      compare_bytes(compared, std::tuple("get"sv, round, i), expected, found);
    }
    segment.sync();
  }
  EXPECT_TRUE(compared.equal());
}

TEST(Segment, random_strided_put_and_get_equal_a_model) {
  check_put_and_get(world(), 3000, 25, 11);     // cut from a slab
  check_put_and_get(world(), 1000000, 10, 12);  // a region of its own
  check_put_and_get(world(), 1, 2, 13);
}

// Behind a process's slice, 64 bytes can be read, because some BLAS reads a little beyond its operands.
TEST(Segment, some_bytes_behind_a_slice_can_be_read) {
  const auto read_behind = [](const Segment& segment, index_t bytes_here) {
    const auto* slice = reinterpret_cast<const volatile unsigned char*>(segment.address(world().rank()));
    int sum = 0;
    for (index_t i = 0; i < 64; ++i) sum += slice[bytes_here + i];
    return sum;
  };
  // Segments in memory shared with others to its end, and in memory of their own, of unequal pages.
  std::vector<Segment> many;
  for (int i = 0; i < 40; ++i) {
    many.emplace_back(world(), 1 << 16, "one of many");
    EXPECT_GE(read_behind(many.back(), many.back().slice_bytes()), 0);
  }
  const index_t uneven = (index_t{4} << 20) + 4096 * ((world().rank() * 7) % 3);
  const Segment own(world(), uneven, "its own");
  EXPECT_GE(read_behind(own, uneven), 0);
}

TEST(Segment, large_strided_transfers_are_packed_in_parts) {
  const Group& all = world();
  constexpr index_t rows = 1200, columns = 700, pitch = 1000;
  Segment segment(all, rows * pitch * 8, "large");
  const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
  // Transposed on the local side: nothing is contiguous there, so 6.7 MB are packed between nodes.
  const Strided shape{.run = 8,
                      .levels = 2,
                      .count = {columns, rows},
                      .remote_stride = {8, pitch * 8},
                      .local_stride = {rows * 8, 8}};
  std::vector<double> mine(at(rows * columns)), found(mine.size());
  std::iota(mine.begin(), mine.end(), all.rank() * 1e7);
  segment.put(right, 800, shape, mine.data());
  segment.sync();
  const auto* here = reinterpret_cast<const double*>(segment.address(all.rank()));
  Comparison compared, summed;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j)
      compared(std::pair(i, j), left * 1e7 + static_cast<double>(j * rows + i), here[i * pitch + j + 100]);
  }
  EXPECT_TRUE(compared.equal());
  segment.get(right, 800, shape, found.data());
  EXPECT_EQ(found, mine);
  segment.sync();
  const double half = 0.5;
  segment.accumulate(right, 800, shape, ElementKind::float64, &half, mine.data());
  segment.get(right, 800, shape, found.data());
  for (std::size_t i = 0; i < mine.size(); ++i) summed(i, 1.5 * mine[i], found[i]);
  EXPECT_TRUE(summed.equal());
  segment.sync();
}

TEST(Segment, shapes_that_mean_nothing_are_refused_by_every_call) {
  const Group& all = world();
  Segment segment(all, 64, "shapes");
  zero(segment, 64);
  const double one = 1;
  std::vector<double> local(8, 1.0);
  auto refuse = [&](const Strided& shape) {
    for (int rank = 0; rank < all.size(); ++rank) {
      EXPECT_NE(message_of<UsageError>([&] { segment.put(rank, 0, shape, local.data()); }).find("\"shapes\""),
                std::string::npos);
      EXPECT_THROW(segment.get(rank, 0, shape, local.data()), UsageError);
      EXPECT_THROW(segment.accumulate(rank, 0, shape, ElementKind::float64, &one, local.data()), UsageError);
      EXPECT_THROW(segment.put_async(rank, 0, shape, local.data()).wait(), UsageError);
      EXPECT_THROW(segment.get_async(rank, 0, shape, local.data()).wait(), UsageError);
    }
  };
  refuse(Strided::contiguous(-8));
  Strided shape = Strided::contiguous(8);
  shape.count.fill(1), shape.remote_stride.fill(8), shape.local_stride.fill(8);
  for (const int levels : {-1, static_cast<int>(max_rank) + 1}) {
    shape.levels = levels;
    refuse(shape);
  }
  shape.levels = 2;
  for (const auto& [inner, outer] : {std::pair<index_t, index_t>{-1, 1}, {2, -1}, {-1, -1}, {-2, -2}}) {
    shape.count[0] = inner, shape.count[1] = outer;
    refuse(shape);
  }
  shape.count[0] = 0, shape.count[1] = 5;
  segment.put(0, 1 << 20, shape, local.data());  // nothing goes anywhere
  segment.sync();
  EXPECT_EQ(own_slice(segment, 64), Bytes(64));
  segment.sync();
}

// Each rank has an area of its own in every slice. It sees its own operations there without synchronisation.
TEST(Segment, own_operations_are_seen_in_program_order) {
  const Group& all = world();
  constexpr index_t area = 16 * 24;
  Segment segment(all, area * all.size(), "ordered");
  zero(segment, area * all.size());
  Random random(20 + static_cast<std::uint64_t>(all.rank()));
  std::vector<std::vector<double>> model(at(all.size()), std::vector<double>(area / 8));
  Comparison compared;
  for (int round = 0; round < 300; ++round) {
    const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
    const index_t begin = area * all.rank();
    RandomTransfer transfer(random, area, 8);
    std::vector<double> data(at(transfer.local_bytes / 8));
    for (double& x : data) x = static_cast<double>(pick(random, -50, 50));
    auto& slice = model[at(owner)];
    auto each = [&](auto&& f) {
      for_each_run(transfer.shape, [&](index_t remote, index_t local) {
        for (index_t byte = 0; byte < transfer.shape.run; byte += 8)
          f(slice[at((transfer.offset + remote + byte) / 8)],
            data[at((transfer.local_begin + local + byte) / 8)]);
      });
    };
    auto* local = reinterpret_cast<std::byte*>(data.data()) + transfer.local_begin;
    const index_t what = pick(random, 0, 4);
    if (what == 0) {
      segment.put(owner, begin + transfer.offset, transfer.shape, local);
      each([](double& there, double& here) { there = here; });
    } else if (what <= 2) {
      const double alpha = what == 1 ? 1 : static_cast<double>(pick(random, -3, 3));
      segment.accumulate(owner, begin + transfer.offset, transfer.shape, ElementKind::float64, &alpha, local);
      each([&](double& there, double& here) { there += alpha * here; });
    } else if (what == 3) {
      const index_t element = pick(random, 0, area / 8 - 1);
      const double value = 3;
      double old = 0;
      segment.fetch_add(owner, begin + element * 8, ElementKind::float64, &value, &old);
      compared(std::pair(round, element), slice[at(element)], old);
      slice[at(element)] += value;
    } else {
      segment.get(owner, begin + transfer.offset, transfer.shape, local);
      each([&](double& there, double& here) { compared(std::pair(round, owner), there, here); });
    }
    if (pick(random, 0, 20) == 0) segment.flush(owner);
    if (pick(random, 0, 50) == 0) segment.flush();
  }
  EXPECT_TRUE(compared.equal());
  segment.sync();
}

// All ranks update the same memory at once. The numbers are whole, so that any order gives the same sums.
template <class T>
void check_accumulate(std::uint64_t seed) {
  const Group& all = world();
  constexpr index_t count = 90;
  constexpr auto size = index_t{sizeof(T)};
  Segment segment(all, count * size, "sums");
  zero(segment, count * size);
  std::vector<std::vector<T>> model(at(all.size()), std::vector<T>(count));
  for (int rank = 0; rank < all.size(); ++rank) {
    Random random(seed + static_cast<std::uint64_t>(rank));
    for (int i = 0; i < 20; ++i) {
      const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
      const RandomTransfer transfer(random, count * size, size);
      const T alpha = i % 3 == 0 ? T{1} : number<T>(pick(random, -2, 3), pick(random, -2, 2));
      std::vector<T> data(at(transfer.local_bytes / size));
      for (T& x : data) x = number<T>(pick(random, -9, 9), pick(random, -9, 9));
      const index_t element = pick(random, 0, count - 1);
      const T one = number<T>(1, 2);
      if (rank == all.rank()) {
        segment.accumulate(owner, transfer.offset, transfer.shape, element_kind<T>(), &alpha,
                           reinterpret_cast<const std::byte*>(data.data()) + transfer.local_begin);
        T old{};
        segment.fetch_add(owner, element * size, element_kind<T>(), &one, &old);
      }
      for_each_run(transfer.shape, [&](index_t remote, index_t local) {
        for (index_t byte = 0; byte < transfer.shape.run; byte += size)
          model[at(owner)][at((transfer.offset + remote + byte) / size)] +=
              alpha * data[at((transfer.local_begin + local + byte) / size)];
      });
      model[at(owner)][at(element)] += one;
    }
  }
  segment.sync();
  for (int owner = 0; owner < all.size(); ++owner) {
    std::vector<T> found(count);
    segment.get(owner, 0, Strided::contiguous(count * size), found.data());
    EXPECT_EQ(found, model[at(owner)]) << to_string(element_kind<T>()) << " at rank " << owner;
  }
  segment.sync();
}

TEST(Segment, accumulates_of_all_types_equal_a_serial_model) {
  check_accumulate<std::int32_t>(31);
  check_accumulate<std::int64_t>(32);
  check_accumulate<float>(33);
  check_accumulate<double>(34);
  check_accumulate<std::complex<float>>(35);
  check_accumulate<std::complex<double>>(36);
}

TEST(Segment, contended_accumulate_and_fetch_add_lose_nothing) {
  const Group& all = world();
  const int rounds = all.node_count() == 1 ? 200 : 40;
  constexpr index_t rows = 40, columns = 50, pitch = 60;
  Segment sums(all, rows * pitch * 8, "sums"), counts(all, rows * pitch * 8, "counts");
  zero(sums, rows * pitch * 8);
  zero(counts, rows * pitch * 8);
  const Strided shape{.run = 8,
                      .levels = 2,
                      .count = {columns, rows},
                      .remote_stride = {8, pitch * 8},
                      .local_stride = {8, columns * 8}};
  const std::vector<double> powers(rows * columns, 0.25);
  const std::vector<std::int64_t> ones(rows * columns, std::int64_t{1} << 33);
  const double two = 2;
  const std::int64_t once = 1;
  const int owner = all.size() / 2;
  for (int round = 0; round < rounds; ++round) {
    sums.accumulate(owner, 0, shape, ElementKind::float64, &two, powers.data());
    counts.accumulate(owner, 0, shape, ElementKind::int64, &once, ones.data());
    const double eighth = 0.125;
    double old = 0;
    sums.fetch_add(owner, (round % rows) * pitch * 8, ElementKind::float64, &eighth, &old);
    std::int64_t before = 0;
    counts.fetch_add(owner, (round % rows) * pitch * 8, ElementKind::int64, &once, &before);
  }
  sums.sync();
  counts.sync();
  std::vector<double> found(rows * columns);
  std::vector<std::int64_t> counted(rows * columns);
  sums.get(owner, 0, shape, found.data());
  counts.get(owner, 0, shape, counted.data());
  Comparison compared;
  for (index_t i = 0; i < rows; ++i) {
    const index_t fetches = rounds / rows + static_cast<index_t>(i < rounds % rows);
    for (index_t j = 0; j < columns; ++j) {
      const index_t extra = j == 0 ? fetches * all.size() : 0;
      const index_t total = index_t{rounds} * all.size();
      compared(std::pair(i, j), 0.5 * static_cast<double>(total) + 0.125 * static_cast<double>(extra),
               found[at(i * columns + j)]);
      compared(std::pair(i, j), (total << 33) + extra, counted[at(i * columns + j)]);
    }
  }
  EXPECT_TRUE(compared.equal());
  all.sync();
}

TEST(Segment, fetch_add_hands_out_every_number_once) {
  const Group& all = world();
  const int each = all.node_count() == 1 ? 2000 : 200;
  Segment segment(all, 64, "counter");
  zero(segment, 64);
  std::vector<std::int64_t> mine;
  const std::int64_t one = 1;
  for (int i = 0; i < each; ++i) {
    std::int64_t old = -1;
    segment.fetch_add(all.size() - 1, 8, ElementKind::int64, &one, &old);
    if (!mine.empty()) {
      EXPECT_GT(old, mine.back());
    }
    mine.push_back(old);
  }
  const auto total = static_cast<std::size_t>(each * all.size());
  std::vector<std::int64_t> drawn(total, 0);
  for (std::int64_t number : mine) drawn.at(at(number)) += 1;
  all.all_reduce(std::span<std::int64_t>(drawn), Reduce::sum);
  EXPECT_EQ(drawn, std::vector<std::int64_t>(total, 1));
  all.sync();
}

TEST(Segment, segments_of_overlapping_groups_are_apart) {
  const Group& all = world();
  const int rank = all.rank(), size = all.size();
  std::vector<int> low, high;
  for (int r = 0; r < size; ++r) {
    if (r <= size / 2) low.push_back(r);
    if (r >= size / 2) high.push_back(size - 1 - (r - size / 2));
  }
  const Group first = all.include(low), second = all.include(high);
  std::optional<Segment> a, b;
  if (first) a.emplace(first, 8 * first.size(), "low");
  if (second) b.emplace(second, 100000 + 8 * second.size(), "high");
  auto ring = [&](std::optional<Segment>& segment, std::int64_t mark) {
    if (!segment) return;
    const Group& group = segment->group();
    for (int r = 0; r < group.size(); ++r) {
      const std::int64_t value = mark + rank;
      segment->put(r, 8 * group.rank(), Strided::contiguous(8), &value);
    }
  };
  ring(a, 1000);
  ring(b, 2000);
  auto check = [&](std::optional<Segment>& segment, std::int64_t mark, const std::vector<int>& members) {
    if (!segment) return;
    segment->sync();
    std::vector<std::int64_t> found(members.size());
    segment->get(segment->group().rank(), 0, Strided::contiguous(static_cast<index_t>(8 * members.size())),
                 found.data());
    for (std::size_t i = 0; i < members.size(); ++i) EXPECT_EQ(found[i], mark + members[i]);
    segment->sync();
  };
  check(b, 2000, high);
  check(a, 1000, low);
  for (int color : {0, 1}) check_put_and_get(all.split((rank + color) % 2, rank), 500, 3, 40);
}

}  // namespace
