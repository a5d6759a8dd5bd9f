// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "statistics.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark {
namespace {

std::vector<double> normal_samples(std::size_t count, double mean, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> distribution(mean, deviation);
  std::vector<double> samples(count);
  for (double& sample : samples) sample = distribution(random);
  return samples;
}

TEST(Median, OddAndEvenCounts) {
  EXPECT_EQ(median(std::vector{7.0}), 7.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0}), 5.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 5.0, 2.0}), 3.5);
  EXPECT_THROW(median({}), UsageError);
}

TEST(Median, IsNotMovedByOutliers) { EXPECT_EQ(median(std::vector{1.0, 1.0, 1.0, 1e9, -1e9}), 1.0); }

TEST(Quotients, AreOfTheSameNumberAndOfNeighbours) {
  EXPECT_EQ(quotients(std::vector{6.0, 1.0}, std::vector{2.0, 4.0}), (std::vector{3.0, 0.25}));
  EXPECT_EQ(neighbour_ratios(std::vector{6.0, 2.0, 1.0, 4.0, 9.0}), (std::vector{3.0, 0.25}));
  EXPECT_TRUE(neighbour_ratios(std::vector{6.0}).empty());
}

TEST(MedianEstimate, EqualSamplesLeaveNoDoubt) {
  const Estimate estimate = median_estimate(std::vector<double>(31, 2.5));
  EXPECT_EQ(estimate.value, 2.5);
  EXPECT_EQ(estimate.low, 2.5);
  EXPECT_EQ(estimate.high, 2.5);
}

TEST(MedianEstimate, IsRepeatable) {
  const auto samples = normal_samples(31, 1.0, 0.1, 1);
  const Estimate first = median_estimate(samples), second = median_estimate(samples);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.value);
  EXPECT_GE(first.high, first.value);
}

// The interval of the median from order statistics: of 31 samples, the 10th and the 22nd (binomial, 95 %).
TEST(MedianEstimate, AgreesWithOrderStatistics) {
  std::vector<double> samples(31);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>((i * 7) % 31 + 1);
  const Estimate estimate = median_estimate(samples);
  EXPECT_EQ(estimate.value, 16.0);
  EXPECT_NEAR(estimate.low, 10.0, 1.0);
  EXPECT_NEAR(estimate.high, 22.0, 1.0);
}

TEST(MedianEstimate, HoldsTheTrueMedianNineteenTimesInTwenty) {
  int held = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    const Estimate e = median_estimate(normal_samples(31, 1.0, 0.05, 1000 + static_cast<std::uint64_t>(trial)));
    held += e.low <= 1.0 && 1.0 <= e.high ? 1 : 0;
  }
  EXPECT_GE(held, trials * 91 / 100);
  EXPECT_LE(held, trials * 99 / 100);
}

TEST(QuantileEstimate, OfAHundred) {
  std::vector<double> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>((i * 37) % 100 + 1);
  const Estimate estimate = quantile_estimate(samples, 0.9);
  EXPECT_EQ(estimate.value, 90.0);
  // order statistics: binomial, 95 %
  EXPECT_NEAR(estimate.low, 84.0, 1.0);
  EXPECT_NEAR(estimate.high, 96.0, 1.0);
  EXPECT_EQ(quantile_estimate(samples, 1.0).value, 100.0);
  EXPECT_THROW(quantile_estimate(samples, 0.0), UsageError);
  EXPECT_THROW(quantile_estimate({}, 0.5), UsageError);
}

TEST(GeometricMean, OfPositiveValues) {
  EXPECT_NEAR(geometric_mean(std::vector{2.0, 8.0}), 4.0, 1e-14);
  EXPECT_NEAR(geometric_mean(std::vector{0.5, 1.0, 2.0}), 1.0, 1e-14);
  EXPECT_THROW(geometric_mean(std::vector{1.0, 0.0}), UsageError);
  EXPECT_THROW(geometric_mean(std::vector{1.0, std::nan("")}), UsageError);
  EXPECT_THROW(geometric_mean({}), UsageError);
}

constexpr Estimate quiet{1.0, 0.99, 1.01};

TEST(Judge, TheIntervalDecides) {
  const Target at_least{Goal::at_least, 0.8};
  EXPECT_EQ(judge({0.9, 0.85, 0.95}, at_least, quiet), Verdict::met);
  EXPECT_EQ(judge({0.79, 0.77, 0.81}, at_least, quiet), Verdict::met);
  EXPECT_EQ(judge({0.7, 0.69, 0.71}, at_least, quiet), Verdict::missed);
  const Target at_most{Goal::at_most, 50e-9};
  EXPECT_EQ(judge({40e-9, 39e-9, 41e-9}, at_most, quiet), Verdict::met);
  EXPECT_EQ(judge({51e-9, 49e-9, 53e-9}, at_most, quiet), Verdict::met);
  EXPECT_EQ(judge({60e-9, 59e-9, 61e-9}, at_most, quiet), Verdict::missed);
  const Target at_most_more{Goal::at_most_more, 25e-9};
  EXPECT_EQ(judge({-2e-9, -3e-9, -1e-9}, at_most_more, quiet), Verdict::met);
  EXPECT_EQ(judge({30e-9, 26e-9, 34e-9}, at_most_more, quiet), Verdict::missed);
}

TEST(Judge, ANoisyControlForbidsAVerdict) {
  const Target target{Goal::at_least, 0.8};
  EXPECT_EQ(judge({0.9, 0.85, 0.95}, target, {1.0, 0.97, 1.03}), Verdict::not_measurable);
  EXPECT_EQ(judge({0.5, 0.4, 0.6}, target, {1.0, 0.9, 1.2}), Verdict::not_measurable);
  EXPECT_EQ(judge({0.9, 0.85, 0.95}, target, {1.2, 1.19, 1.21}), Verdict::not_measurable);
  EXPECT_TRUE(measurable({1.0, 0.98, 1.02}));
}

}  // namespace
}  // namespace tessera::benchmark
