// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::benchmark {

/// A value and the interval that holds it with 95 % confidence.
struct Estimate {
  double value, low, high;
  double width() const noexcept { return high - low; }
};

/// The middle value; for an even number, the mean of the two middle ones. @local
/// @throws UsageError if there are no samples.
double median(std::span<const double> samples);

/// The median, with the interval from a percentile bootstrap (Efron and Tibshirani, An Introduction to the
/// Bootstrap, 1993, chapter 13). The seed is fixed: the same samples give the same interval. @local @throws as
/// median
Estimate median_estimate(std::span<const double> samples);

/// The value that the share `q` of the samples, such as 0.99, does not exceed, with the same kind of interval.
/// @local
/// @throws as median; UsageError if `q` is not above 0 and at most 1
Estimate quantile_estimate(std::span<const double> samples, double q);

/// Each sample over the one of the same number. @local
std::vector<double> quotients(std::span<const double> over, std::span<const double> under);
/// Each sample over its neighbour: a routine against itself. @local
std::vector<double> neighbour_ratios(std::span<const double> samples);

/// The n-th root of the product. @local @throws UsageError if a value is not positive, or there is none.
double geometric_mean(std::span<const double> values);

/// at_least limits the ratio to the reference. at_most limits the time, and at_most_more the time in excess of
/// the reference; times are in seconds. share_at_least and share_at_most limit a share.
enum class Goal { at_least, at_most, at_most_more, share_at_least, share_at_most };

/// The target of a measurement.
struct Target {
  Goal goal;
  double value;
};

enum class Verdict { none, met, missed, not_measurable };

/// How a verdict reads, such as "not measurable". @local
const char* to_string(Verdict verdict) noexcept;

/// Whether a measurement with this control is meaningful. The control compares a routine with itself, in the
/// same run. Its interval must be at most 5 % wide, and not beyond 5 % from 1. @local
bool measurable(const Estimate& control) noexcept;

/// met if the interval reaches the target. @local
Verdict judge(const Estimate& result, const Target& target, const Estimate& control) noexcept;

}  // namespace tessera::benchmark
