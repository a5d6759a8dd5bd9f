// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/exact_sum.hpp"

// Exact sums against another exact algorithm: numbers that do not overlap (Shewchuk 1997), as Python's fsum.
namespace {

using tessera::detail::ExactSum;

double rounded_sum(const std::vector<double>& numbers) {
  std::vector<double> partials;
  for (double x : numbers) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  if (partials.empty()) return 0;
  std::size_t n = partials.size() - 1;
  double high = partials[n], low = 0;
  while (n > 0) {
    const double x = high, y = partials[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  // Half-way cases are decided by what is below.
  if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
    const double y = 2 * low, x = high + y;
    if (y == x - high) high = x;
  }
  return high;
}

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

double any_number(std::mt19937_64& random, int low, int high) {
  const double fraction = std::uniform_real_distribution<double>(-1, 1)(random);
  return std::ldexp(fraction, std::uniform_int_distribution<int>(low, high)(random));
}

TEST(ExactSum, is_rounded_once_from_the_sum_without_rounding) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const int spread = std::uniform_int_distribution<int>(0, 900)(random);
    std::vector<double> numbers(std::uniform_int_distribution<std::size_t>(0, 40)(random));
    for (double& x : numbers) x = any_number(random, -spread, spread);
    // Most of it cancels.
    if (round % 2 == 0) {
      const auto half = numbers;
      for (const double x : half) numbers.push_back(-x * (1 + (round % 4) * 0x1p-52));
    }
    std::shuffle(numbers.begin(), numbers.end(), random);
    EXPECT_EQ(sum_of(numbers), rounded_sum(numbers)) << "round " << round;
  }
}

TEST(ExactSum, takes_numbers_of_the_whole_range) {
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({most, most, -most}), most);
  EXPECT_EQ(sum_of({most, least, -most}), least);
  EXPECT_EQ(sum_of({least, least, least}), 3 * least);
  EXPECT_EQ(sum_of({-least, 1, -1}), -least);
  EXPECT_EQ(sum_of({most, most}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum_of({-most, -most}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum_of({1, 0x1p-53}), 1) << "half a unit, to even";
  EXPECT_EQ(sum_of({1, 0x1p-53, least}), 1 + 0x1p-52) << "a little more than half a unit";
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51) << "half a unit, to even";
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum_of({1, infinity}), infinity);
  EXPECT_EQ(sum_of({-infinity, 5}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({std::numeric_limits<double>::quiet_NaN(), 1})));
}

TEST(ExactSum, of_products_is_exact_as_well) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    ExactSum sum;
    std::vector<double> parts;
    for (int i = std::uniform_int_distribution<int>(0, 30)(random); i > 0; --i) {
      const double x = any_number(random, -200, 200), y = any_number(random, -200, 200), product = x * y;
      sum.add_product(x, y);
      parts.insert(parts.end(), {product, std::fma(x, y, -product)});
    }
    EXPECT_EQ(sum.value(), rounded_sum(parts)) << "round " << round;
  }
  ExactSum extremes;
  extremes.add_product(1e300, 1e300);
  extremes.add_product(1e-300, 1e-300);
  extremes.add_product(-1e300, 1e300);
  extremes.add_product(3, 1e-300);
  EXPECT_EQ(extremes.value(), 3e-300);
  ExactSum tiny;
  for (int i = 0; i < 4; ++i) tiny.add_product(0x1p-1074, 0.25);
  EXPECT_EQ(tiny.value(), 0x1p-1074);
}

TEST(ExactSum, may_be_gathered_in_parts) {
  std::mt19937_64 random(3);
  std::vector<double> numbers(1000);
  for (double& x : numbers) x = any_number(random, -300, 300);
  ExactSum parts[7], all;
  for (std::size_t i = 0; i < numbers.size(); ++i) parts[i % 7].add(numbers[i]);
  const auto words = all.words();
  for (ExactSum& part : parts) {
    const auto more = part.words();
    for (std::size_t w = 0; w < words.size(); ++w) words[w] += more[w];
  }
  EXPECT_EQ(all.value(), rounded_sum(numbers));
}

}  // namespace
