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
    Bytes found;
    for (const auto& [low, high] : common_runs(a, b, 1'000'000)) {
      for (index_t byte = low; byte < high; ++byte) found.insert(byte);
    }
    EXPECT_EQ(found, expected);
    apart += static_cast<int>(expected.empty());
  }
  // Both outcomes were tried.
  EXPECT_GT(apart, 2'000);
  EXPECT_LT(apart, 18'000);
}

TEST(Footprint, no_more_runs_are_found_than_asked_for) {
  const Strided shape{1, 1, {50}, {2}, {1}};
  const Footprint all = footprint_of(shape, shape.remote_stride, 0);
  EXPECT_EQ(common_runs(all, all, 7).size(), 7U);
  EXPECT_EQ(common_runs(all, all, 100).size(), 50U);
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
