// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Shapes at the limits: eight levels, strides of any sign, nothing at all, one value, beyond 2^31 bytes.
namespace {

using namespace tessera;
using namespace tessera::test;

// A transfer with the most levels possible, in any order, forwards and backwards on both sides.
struct DeepTransfer {
  Strided shape;
  index_t offset = 0, bytes = 0;             // of the remote side
  index_t local_begin = 0, local_bytes = 0;  // of the local side

  DeepTransfer(Random& random, index_t element) {
    shape.run = element * pick(random, 1, 3);
    shape.levels = max_rank;
    for (index_t& count : shape.count) count = pick(random, 1, 3);
    spread(random, element, shape.remote_stride, offset, bytes);
    spread(random, element, shape.local_stride, local_begin, local_bytes);
  }

 private:
  void spread(Random& random, index_t element, std::array<index_t, max_rank>& stride, index_t& begin,
              index_t& size) const {
    std::array<std::size_t, max_rank> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    size = shape.run;
    for (const std::size_t level : order) {
      if (pick(random, 0, 3) == 0) size += element;
      stride[level] = size;
      size *= shape.count[level];
      if (pick(random, 0, 1) == 0) continue;
      begin += (shape.count[level] - 1) * stride[level];
      stride[level] = -stride[level];
    }
  }
};

TEST(Extremes, shapes_of_eight_levels_and_strides_of_any_sign_equal_a_model) {
  const Group& all = world();
  Random random(81);
  Comparison compared;
  for (int round = 0; round < 12; ++round) {
    const DeepTransfer t(random, 8);
    const index_t bytes = t.bytes + 64;  // it ends where the slice does
    Segment segment(all, bytes, "deep");
    zero(segment, bytes);
    std::vector<std::vector<double>> data(at(all.size()), std::vector<double>(at(t.local_bytes / 8)));
    SliceModel model(all.size(), bytes);
    for (int rank = 0; rank < all.size(); ++rank) {
      for (double& x : data[at(rank)]) x = static_cast<double>(pick(random, -1000, 1000));
      const auto* from = reinterpret_cast<const std::byte*>(data[at(rank)].data()) + t.local_begin;
      model.put((rank + 1) % all.size(), t.offset + 64, t.shape, from);
    }
    auto* mine = reinterpret_cast<std::byte*>(data[at(all.rank())].data());
    segment.put(right(), t.offset + 64, t.shape, mine + t.local_begin);
    segment.sync();
    compare_bytes(compared, std::pair("put"sv, round), model.slices[at(all.rank())], own_slice(segment, bytes));
    Bytes found = random_bytes(random, t.local_bytes), expected = found;  // gaps stay as they are
    segment.get(left(), t.offset + 64, t.shape, found.data() + t.local_begin);
    model.get(left(), t.offset + 64, t.shape, expected.data() + t.local_begin);
    compare_bytes(compared, std::pair("get"sv, round), expected, found);
    segment.sync();
    const double alpha = 2;
    segment.accumulate(right(), t.offset + 64, t.shape, ElementKind::float64, &alpha, mine + t.local_begin);
    segment.accumulate(right(), t.offset + 64, t.shape, ElementKind::float64, Update::max,
                       mine + t.local_begin);
    for (int rank = 0; rank < all.size(); ++rank) {
      for_each_pair<double>(t.shape, model.place((rank + 1) % all.size(), t.offset + 64),
                            reinterpret_cast<const std::byte*>(data[at(rank)].data()) + t.local_begin,
                            [](double old, double x) { return std::max(old + 2 * x, x); });
    }
    segment.sync();
    compare_bytes(compared, std::pair("accumulate"sv, round), model.slices[at(all.rank())],
                  own_slice(segment, bytes));
    segment.sync();
  }
  EXPECT_TRUE(compared.equal());
}

TEST(Extremes, transfers_may_go_backwards_from_the_last_byte) {
  const Group& all = world();
  Segment segment(all, 6400, "backwards");
  zero(segment, 6400);
  std::vector<std::int64_t> numbers(800), found(800, -1);
  std::iota(numbers.begin(), numbers.end(), 1000 * all.rank());
  const Strided reversed{.run = 8, .levels = 1, .count = {800}, .remote_stride = {-8}, .local_stride = {8}};
  segment.put(right(), 6400 - 8, reversed, numbers.data());
  segment.sync();
  for (index_t i = 0; i < 800; ++i)
    EXPECT_EQ(segment.load<std::int64_t>(all.rank(), 8 * i), 1000 * left() + 799 - i);
  segment.get(right(), 6400 - 8, reversed, found.data());
  EXPECT_EQ(found, numbers);
  // The same, but read forwards and stored backwards.
  const Strided mirrored{.run = 8, .levels = 1, .count = {800}, .remote_stride = {8}, .local_stride = {-8}};
  std::fill(found.begin(), found.end(), -1);
  segment.get(right(), 0, mirrored, &found.back());
  EXPECT_EQ(found, numbers);
  EXPECT_THROW(segment.put(right(), 6400 - 16, reversed, numbers.data()), UsageError);
  segment.sync();
}

TEST(Extremes, nothing_is_moved_by_a_count_of_zero) {
  const Group& all = world();
  for (const auto& domain : domains()) {
    Segment segment(all, 640, {.name = "zero", .domain = domain});
    zero(segment, 640);
    std::vector<double> data(80, 5), found(80, 6);
    const double one = 1;
    for (int level = 0; level < 3; ++level) {
      Strided shape{
          .run = 8, .levels = 3, .count = {2, 2, 2}, .remote_stride = {8, 16, 32}, .local_stride = {8, 16, 32}};
      shape.count[at(level)] = 0;
      segment.put(right(), 0, shape, data.data());
      segment.get(right(), 0, shape, found.data());
      segment.accumulate(right(), 0, shape, ElementKind::float64, &one, data.data());
      segment.accumulate(right(), 0, shape, ElementKind::float64, Update::max, data.data());
      segment.put_async(right(), 0, shape, data.data()).wait();
      segment.get_async(right(), 0, shape, found.data()).wait();
      segment.accumulate_async(right(), 0, shape, ElementKind::float64, &one, data.data()).wait();
    }
    segment.put(right(), segment.slice_bytes(), Strided::contiguous(0), nullptr);
    segment.get(right(), segment.slice_bytes(), Strided::contiguous(0), nullptr);
    segment.accumulate(right(), segment.slice_bytes(), Strided::contiguous(0), ElementKind::float64, &one,
                       nullptr);
    segment.sync();
    EXPECT_EQ(own_slice(segment, 640), Bytes(640));
    EXPECT_EQ(found, std::vector<double>(80, 6));
    segment.sync();
  }
}

// Shapes of more bytes than 64 bits can count. They must not look empty or smaller than they are.
TEST(Extremes, shapes_of_more_bytes_than_there_are_numbers_are_refused) {
  const Group& all = world();
  constexpr index_t k = index_t{1} << 31;
  for (const auto& domain : domains()) {
    Segment segment(all, 640, {.name = "endless", .domain = domain});
    zero(segment, 640);
    std::vector<double> data(80, 5);
    const double one = 1;
    for (const index_t last :
         {k, k + 1, 2 * k, -2 * k}) {  // 2^64, a little more, 2^65, and one that is negative
      const Strided shape{.run = 8,
                          .levels = 3,
                          .count = {k / 2, last, 1},
                          .remote_stride = {0, 0, 0},
                          .local_stride = {0, 0, 0}};
      EXPECT_THROW(segment.put(right(), 0, shape, data.data()), UsageError);
      EXPECT_THROW(segment.get(right(), 0, shape, data.data()), UsageError);
      EXPECT_THROW(segment.accumulate(right(), 0, shape, ElementKind::float64, &one, data.data()), UsageError);
      EXPECT_THROW(segment.put_async(right(), 0, shape, data.data()).wait(), UsageError);
      EXPECT_THROW(segment.get_async(right(), 0, shape, data.data()).wait(), UsageError);
      EXPECT_THROW(segment.accumulate_async(right(), 0, shape, ElementKind::float64, &one, data.data()).wait(),
                   UsageError);
      Strided nothing = shape;
      nothing.count[2] = 0;
      segment.put(right(), 0, nothing, data.data());
    }
    segment.sync();
    EXPECT_EQ(own_slice(segment, 640), Bytes(640));
    segment.sync();
  }
}

TEST(Extremes, ranks_that_do_not_exist_are_refused_for_nothing_too) {
  const Group& all = world();
  for (const auto& domain : domains()) {
    Segment segment(all, 64, {.name = "few", .domain = domain});
    const double one = 1;
    const Strided nothing = Strided::contiguous(0);
    for (const int rank : {-1, all.size(), std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
      const auto text = message_of<UsageError>([&] { segment.put(rank, 0, nothing, nullptr); });
      EXPECT_NE(text.find("\"few\""), std::string::npos) << text;
      EXPECT_THROW(segment.get(rank, 0, nothing, nullptr), UsageError);
      EXPECT_THROW(segment.accumulate(rank, 0, nothing, ElementKind::float64, &one, nullptr), UsageError);
      EXPECT_THROW(segment.put_async(rank, 0, nothing, nullptr).wait(), UsageError);
      EXPECT_THROW(segment.flush(rank), UsageError);
    }
    segment.sync();
  }
}

struct Record {
  std::int32_t a;
  float b;
  std::int64_t c;
  char d[8];
  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 24);

// Values of one type at any offsets, aligned or not, stored by the neighbour.
template <class T, class F>
void check_single_values(F&& value_of) {
  const Group& all = world();
  Segment segment(all, 2000, "single");
  zero(segment, 2000);
  Random random(90 + sizeof(T));
  SliceModel model(all.size(), 2000);
  index_t offset = 0;
  std::vector<index_t> places;
  while (offset + index_t{sizeof(T)} <= 2000) {
    places.push_back(offset);
    offset += index_t{sizeof(T)} + pick(random, 0, 20);
  }
  for (int rank = 0; rank < all.size(); ++rank) {
    for (const index_t place : places) {
      const T value = value_of(place + 1000 * rank);
      std::memcpy(model.place((rank + 1) % all.size(), place), &value, sizeof(T));
      if (rank == all.rank()) segment.store(right(), place, value);
      // The rank that stored it sees it at once.
      if (rank == all.rank() && place % 3 == 0) {
        EXPECT_EQ(segment.load<T>(right(), place), value);
      }
    }
  }
  segment.sync();
  EXPECT_TRUE(same_bytes(model.slices[at(all.rank())], own_slice(segment, 2000))) << sizeof(T);
  Comparison compared;
  for (const index_t place : places) {
    const auto owner = static_cast<int>(place % all.size());
    compared(place, value_of(place + 1000 * ((owner + all.size() - 1) % all.size())),
             segment.load<T>(owner, place));
  }
  EXPECT_TRUE(compared.equal()) << sizeof(T);
  const index_t end = segment.slice_bytes();
  const T value = value_of(1);
  for (const index_t bad : {index_t{-1}, end - index_t{sizeof(T)} + 1, end, std::numeric_limits<index_t>::max(),
                            std::numeric_limits<index_t>::min()}) {
    EXPECT_THROW(segment.load<T>(0, bad), UsageError);
    EXPECT_THROW(segment.store(0, bad, value), UsageError);
  }
  for (const int bad : {-1, all.size(), std::numeric_limits<int>::max()}) {
    EXPECT_THROW(segment.load<T>(bad, 0), UsageError);
    EXPECT_THROW(segment.store(bad, 0, value), UsageError);
  }
  segment.close();
  EXPECT_THROW(segment.load<T>(0, 0), UsageError);
  EXPECT_THROW(segment.store(0, 0, value), UsageError);
}

TEST(Extremes, single_values_of_any_type_are_stored_at_any_offset) {
  check_single_values<std::uint8_t>([](index_t i) { return static_cast<std::uint8_t>(i); });
  check_single_values<std::int16_t>([](index_t i) { return static_cast<std::int16_t>(3 * i); });
  check_single_values<float>([](index_t i) { return static_cast<float>(i) / 2; });
  check_single_values<std::int64_t>([](index_t i) { return i << 33; });
  check_single_values<std::complex<double>>([](index_t i) { return number<std::complex<double>>(i, -i); });
  check_single_values<Record>([](index_t i) {
    const auto n = static_cast<std::int32_t>(i);
    return Record{
        n, static_cast<float>(n), -i, {'t', 'e', 's', 's', 'e', 'r', 'a', static_cast<char>(n % 100)}};
  });
}

// 2 GiB on the last rank alone: offsets and strides that do not fit 32 bits.
TEST(Extremes, offsets_and_strides_may_exceed_2_to_the_31) {
  const Group& all = world();
  if (all.size() > 2) GTEST_SKIP() << "takes 2 GiB; done on 1 and 2 ranks";
  constexpr index_t half = index_t{1} << 31, bytes = half + 4096;
  const int owner = all.size() - 1;
  std::optional<Segment> segment;
  try {
    segment.emplace(all, all.rank() == owner ? bytes : 0, "beyond 2^31");
  } catch (const MemoryError& error) {
    GTEST_SKIP() << error.what();  // on every rank
  }
  const Strided shape{
      .run = 16, .levels = 2, .count = {3, 2}, .remote_stride = {half / 2 + 64, 32}, .local_stride = {32, 16}};
  std::vector<double> data(12), found(12, -1);
  std::iota(data.begin(), data.end(), 1.0);
  const double two = 2;
  if (all.rank() == 0) {
    segment->put(owner, 512, shape, data.data());
    segment->accumulate(owner, 512, shape, ElementKind::float64, &two, data.data());
    segment->store(owner, half + 4088, 77.0);
    segment->store(owner, half - 4, std::int64_t{1} << 40);
  }
  segment->sync();
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 2; ++j) {
      const index_t place = 512 + i * (half / 2 + 64) + 32 * j;
      EXPECT_EQ(segment->load<double>(owner, place), 3 * data[at(4 * i + 2 * j)]) << place;
      EXPECT_EQ(segment->load<double>(owner, place + 8), 3 * data[at(4 * i + 2 * j + 1)]) << place;
    }
  }
  EXPECT_EQ(segment->load<double>(owner, half + 4088), 77.0);
  EXPECT_EQ(segment->load<std::int64_t>(owner, half - 4), std::int64_t{1} << 40);
  segment->get(owner, 512, shape, found.data());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(found[i], 3 * data[i]);
  const std::int64_t one = 1;
  std::int64_t old = 0;
  segment->fetch_add(owner, half + 2048, ElementKind::int64, &one, &old);
  segment->sync();
  EXPECT_THROW(segment->load<double>(owner, segment->slice_bytes() - 4), UsageError);
  segment->close();
}

}  // namespace
