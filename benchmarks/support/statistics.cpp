// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <tessera/runtime/error.hpp>

namespace tessera::benchmark {
namespace {

double median_in_place(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(samples.begin(), middle));
}

double quantile_in_place(std::vector<double>& samples, double q) {
  const double rank = std::ceil(q * static_cast<double>(samples.size()));
  const auto place = samples.begin() + std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(rank) - 1);
  std::nth_element(samples.begin(), place, samples.end());
  return *place;
}

// The statistic of the samples, with the interval from resampling. The statistic may reorder its argument.
template <class Statistic>
Estimate bootstrap(std::span<const double> samples, Statistic statistic) {
  constexpr std::size_t resamples = 4000;
  std::mt19937_64 random(20061103);
  std::vector<double> values(resamples), drawn(samples.begin(), samples.end());
  Estimate estimate{statistic(drawn), 0.0, 0.0};
  for (double& value : values) {
    // the high half of a product: even enough for these sizes, and the same with every standard library
    for (double& draw : drawn) draw = samples[((random() >> 32) * samples.size()) >> 32];
    value = statistic(drawn);
  }
  std::sort(values.begin(), values.end());
  estimate.low = values[resamples / 40];
  estimate.high = values[resamples - 1 - resamples / 40];
  return estimate;
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) throw UsageError("the median of no samples (a measurement took none)");
  std::vector<double> copy(samples.begin(), samples.end());
  return median_in_place(copy);
}

Estimate median_estimate(std::span<const double> samples) {
  if (samples.empty()) throw UsageError("the median of no samples (a measurement took none)");
  return bootstrap(samples, median_in_place);
}

Estimate quantile_estimate(std::span<const double> samples, double q) {
  if (samples.empty()) throw UsageError("a quantile of no samples (a measurement took none)");
  if (!(q > 0.0 && q <= 1.0)) throw UsageError("no share of samples: " + std::to_string(q));
  return bootstrap(samples, [q](std::vector<double>& all) { return quantile_in_place(all, q); });
}

std::vector<double> quotients(std::span<const double> over, std::span<const double> under) {
  std::vector<double> result;
  for (std::size_t i = 0; i < over.size(); ++i) result.push_back(over[i] / under[i]);
  return result;
}

std::vector<double> neighbour_ratios(std::span<const double> samples) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < samples.size(); i += 2) ratios.push_back(samples[i] / samples[i + 1]);
  return ratios;
}

double geometric_mean(std::span<const double> values) {
  if (values.empty()) throw UsageError("the geometric mean of no values");
  double sum = 0.0;
  for (double value : values) {
    if (!(value > 0.0))
      throw UsageError("the geometric mean needs positive values, not " + std::to_string(value));
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::none:
      return "";
    case Verdict::met:
      return "met";
    case Verdict::missed:
      return "missed";
    case Verdict::not_measurable:
      return "not measurable";
  }
  return "?";
}

bool measurable(const Estimate& control) noexcept {
  constexpr double tolerance = 0.05;
  return control.width() <= tolerance && control.high >= 1.0 - tolerance && control.low <= 1.0 + tolerance;
}

Verdict judge(const Estimate& result, const Target& target, const Estimate& control) noexcept {
  if (!measurable(control)) return Verdict::not_measurable;
  const bool upwards = target.goal == Goal::at_least || target.goal == Goal::share_at_least;
  const bool reached = upwards ? result.high >= target.value : result.low <= target.value;
  return reached ? Verdict::met : Verdict::missed;
}

}  // namespace tessera::benchmark
