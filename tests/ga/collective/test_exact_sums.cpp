// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <bit>
#include <cmath>
#include <cstring>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// The expected bits are those of sums of fractions (Python).
TEST(ExactSums, have_the_same_bits_on_any_number_of_ranks_and_in_any_layout) {
  constexpr std::uint64_t sum_bits = 0x442270bddba4c85f, dot_bits = 0x4702c582511b316c;
  Random random(5);
  const Extents<2> dims{37, 23};
  LocalArray<double, 2> x(dims), y(dims);
  for (index_t i = 0; i < dims.size(); ++i) {
    // Only operations that are rounded alike everywhere.
    const auto k = static_cast<double>((i * 7919) % 1009 - 504);
    x.data()[i] = std::ldexp(k / 3, static_cast<int>(i % 120) - 60);
    y.data()[i] = std::ldexp(1 / (k + 0.5), static_cast<int>((i * 31) % 120) - 60);
  }
  for (int round = 0; round < 6; ++round) {
    Array<double, 2> a(world(), any_layout(random, dims), {.name = "a"}),
        b(world(), any_layout(random, dims), {.name = "b"});
    if (world().rank() == 0) {
      a.put(Patch<2>::whole(dims), x.view());
      b.put(Patch<2>::whole(dims), y.view());
    }
    a.sync();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_sum(a)), sum_bits);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_dot(a, b)), dot_bits);
    EXPECT_EQ(exact_dot(a.slice().transposed(), b.slice().transposed()), exact_dot(a, b));
  }
}

TEST(ExactSums, keep_small_numbers_beside_large_ones) {
  Array<float, 1> a(world(), {1000}, {.name = "a"});
  for_each_local(a, [](const Index<1>& at, float& value) {
    value = at[0] == 0 ? 1e30F : at[0] == 999 ? -1e30F : 0.125F;
  });
  a.sync();
  EXPECT_EQ(exact_sum(a), 998 * 0.125);
}

}  // namespace
