// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "pictures/ticks.hpp"

namespace {

using tessera::io::detail::Numbers;
using tessera::io::detail::Tick;
using tessera::io::detail::ticks_of;

std::vector<std::string> labels(long double low, long double high, int most, Numbers numbers = Numbers::real) {
  std::vector<std::string> all;
  for (const Tick& tick : ticks_of(low, high, most, numbers)) all.push_back(tick.label);
  return all;
}
using Labels = std::vector<std::string>;

TEST(Ticks, are_round_numbers) {
  EXPECT_EQ(labels(0, 1, 4), (Labels{"0", "0.5", "1.0"}));
  EXPECT_EQ(labels(0, 1, 10), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(-3, 7, 5), (Labels{"-2", "0", "2", "4", "6"}));
  EXPECT_EQ(labels(0.011, 0.019, 4), (Labels{"0.012", "0.014", "0.016", "0.018"}));
  EXPECT_EQ(labels(1e-300, 3e-300, 4), (Labels{"1e-300", "2e-300", "3e-300"}));
  EXPECT_EQ(labels(-1e300, 1e300, 4), (Labels{"-1e+300", "0", "1e+300"}));
  EXPECT_EQ(labels(1e6, 1e6 + 1, 4), (Labels{"1.0000000e+06", "1.0000005e+06", "1.0000010e+06"}));
  EXPECT_EQ(labels(7.25, 7.25, 4), (Labels{"7.25"}));
  EXPECT_EQ(labels(1e-300, 1e-300, 4), (Labels{"1e-300"}));
}

TEST(Ticks, of_integers_are_integers) {
  EXPECT_EQ(labels(0, 1, 4, Numbers::whole), (Labels{"0", "1"}));
  EXPECT_EQ(labels(0, 3, 10, Numbers::whole), (Labels{"0", "1", "2", "3"}));
  const auto top = static_cast<long double>(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(labels(top - 2, top, 4, Numbers::whole),
            (Labels{"9223372036854775805", "9223372036854775806", "9223372036854775807"}));
  EXPECT_EQ(labels(-top - 1, top, 5, Numbers::whole),
            (Labels{"-5000000000000000000", "0", "5000000000000000000"}));
  EXPECT_EQ(labels(-7, -7, 4, Numbers::whole), (Labels{"-7"}));
}

// The labels are the numbers of their places.
TEST(Ticks, are_where_their_labels_say) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1; };
    const double middle = uniform() * std::pow(10, std::floor(uniform() * 250));
    const double width = std::abs(uniform()) * std::pow(10, std::floor(uniform() * 250));
    const double low = middle,
                 high = round % 3 == 0 ? middle * (1 + std::abs(uniform()) * 1e-6) : middle + width;
    if (!(low < high)) continue;
    const int most = 4 + round % 7;
    const auto ticks = ticks_of(low, high, most, Numbers::real);
    ASSERT_GE(ticks.size(), 1U) << low << " to " << high;
    ASSERT_LE(ticks.size(), static_cast<std::size_t>(most));
    double before = -1;
    for (const Tick& tick : ticks) {
      ASSERT_GT(tick.part, before);
      before = tick.part;
      double value = 0;
      std::from_chars(tick.label.data(), tick.label.data() + tick.label.size(), value);
      const long double part = (static_cast<long double>(value) - low) / (static_cast<long double>(high) - low);
      const double resolution = std::max(std::abs(low), std::abs(high)) / (high - low) * 1e-15;
      ASSERT_NEAR(static_cast<double>(part), tick.part, 1e-9 + 4 * resolution)
          << tick.label << " in " << low << " to " << high;
    }
  }
  EXPECT_EQ(labels(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), 4).size(), 3U);
  EXPECT_GE(labels(0, std::numeric_limits<double>::denorm_min(), 4).size(), 1U);
}

}  // namespace
