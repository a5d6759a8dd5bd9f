// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/footprint.hpp"

#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::detail::conflicts {
namespace {

using Bytes = std::set<index_t>;

// A shape with strides of any sign, also zero and smaller than what they step over.
Strided random_shape(std::mt19937& random) {
  const auto from = [&](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  Strided shape;
  shape.run = from(1, 6);
  shape.levels = static_cast<int>(from(0, 3));
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    shape.count[l] = from(1, 4);
    shape.remote_stride[l] = from(-20, 40);
  }
  return shape;
}

// Every byte, one loop after the other.
Bytes bytes_of(const Strided& shape, index_t offset) {
  std::vector<index_t> begins{offset};
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    std::vector<index_t> next;
    for (const index_t begin : begins) {
      for (index_t i = 0; i < shape.count[l]; ++i) next.push_back(begin + i * shape.remote_stride[l]);
    }
    begins = next;
  }
  Bytes all;
  for (const index_t begin : begins) {
    for (index_t b = 0; b < shape.run; ++b) all.insert(begin + b);
  }
  return all;
}

Bytes bytes_of(const std::vector<ByteRange>& runs) {
  Bytes all;
  for (const auto& [low, high] : runs) {
    for (index_t byte = low; byte < high; ++byte) all.insert(byte);
  }
  return all;
}

std::vector<ByteRange> common_of(const Places& a, const Places& b) {
  const ByteRange everything{-1'000'000, 1'000'000};
  return common_runs(a, b, everything, 1'000'000);
}

TEST(Footprint, common_bytes_of_random_shapes_are_those_of_sets) {
  std::mt19937 random(1);
  int apart = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Strided first = random_shape(random), second = random_shape(random);
    const index_t shift = std::uniform_int_distribution<index_t>(-60, 60)(random);
    const Bytes one = bytes_of(first, 100), other = bytes_of(second, 100 + shift);
    Bytes expected;
    for (const index_t byte : one) {
      if (other.contains(byte)) expected.insert(byte);
    }
    const Footprint a = footprint_of(first, first.remote_stride, 100),
                    b = footprint_of(second, second.remote_stride, 100 + shift);
    EXPECT_EQ(a.bounds(), (ByteRange{*one.begin(), *one.rbegin() + 1}));
    EXPECT_EQ(intersect(a, b), !expected.empty());
    EXPECT_EQ(bytes_of(common_of({{}, {&a, 1}}, {{}, {&b, 1}})), expected);
    apart += static_cast<int>(expected.empty());
  }
  // Both outcomes were tried.
  EXPECT_GT(apart, 2'000);
  EXPECT_LT(apart, 18'000);
}

// So many that the range is halved several times.
TEST(Footprint, common_bytes_of_many_random_shapes_are_those_of_sets) {
  std::mt19937 random(3);
  const auto from = [&](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  for (int round = 0; round < 20; ++round) {
    std::array<Bytes, 2> bytes;
    std::array<std::vector<ByteRange>, 2> ranges;
    std::array<std::vector<Footprint>, 2> shapes;
    for (std::size_t side = 0; side < 2; ++side) {
      for (index_t n = from(0, 400); n > 0; --n) {
        const Strided shape = random_shape(random);
        const index_t offset = from(0, 20'000);
        const Bytes some = bytes_of(shape, offset);
        bytes[side].insert(some.begin(), some.end());
        const Footprint print = footprint_of(shape, shape.remote_stride, offset);
        if (print.levels == 0)
          ranges[side].push_back(print.bounds());
        else
          shapes[side].push_back(print);
      }
      unite(ranges[side]);
    }
    Bytes expected;
    for (const index_t byte : bytes[0]) {
      if (bytes[1].contains(byte)) expected.insert(byte);
    }
    const auto found = common_of({ranges[0], shapes[0]}, {ranges[1], shapes[1]});
    EXPECT_EQ(bytes_of(found), expected);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LT(found[i - 1].high, found[i].low);
  }
}

// All pairs of these patches would be too many: each lies between the rows of all others.
TEST(Footprint, strips_of_columns_are_apart_but_for_one) {
  constexpr index_t strips = 5'000, rows = 50, bytes = 8, width = strips * bytes;
  const auto strip = [&](index_t column) { return Footprint{column * bytes, bytes, 1, {rows}, {width}}; };
  std::vector<Footprint> even, odd;
  for (index_t column = 0; column < strips; ++column) (column % 2 == 0 ? even : odd).push_back(strip(column));
  const ByteRange all{0, rows * width};
  EXPECT_TRUE(common_runs({{}, even}, {{}, odd}, all, 100).empty());
  odd.push_back(strip(1'500));
  const auto found = common_runs({{}, even}, {{}, odd}, all, 100);
  EXPECT_EQ(found.size(), 50U);
  for (std::size_t row = 0; row < found.size(); ++row) {
    const index_t low = static_cast<index_t>(row) * width + 1'500 * bytes;
    EXPECT_EQ(found[row], (ByteRange{low, low + bytes}));
  }
}

TEST(Footprint, no_more_runs_are_found_than_asked_for) {
  const Strided shape{1, 1, {50}, {2}, {1}};
  const Footprint all = footprint_of(shape, shape.remote_stride, 0);
  const Places places{{}, {&all, 1}};
  EXPECT_EQ(common_runs(places, places, {0, 200}, 7).size(), 7U);
  EXPECT_EQ(common_runs(places, places, {0, 200}, 100).size(), 50U);
}

TEST(Footprint, hash_depends_on_the_bytes_of_the_shape_alone) {
  std::array<std::byte, 64> memory{};
  const Strided shape{3, 1, {4}, {16}, {3}};
  const Footprint where = footprint_of(shape, shape.remote_stride, 1);
  const auto before = hash_of(where, memory.data());
  for (std::size_t at = 0; at < memory.size(); ++at) {
    memory[at] = std::byte{1};
    const bool is_inside = at % 16 >= 1 && at % 16 < 4;
    EXPECT_EQ(hash_of(where, memory.data()) != before, is_inside) << at;
    memory[at] = std::byte{0};
  }
}

}  // namespace
}  // namespace tessera::detail::conflicts
