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

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) throw UsageError("the median of no samples (a measurement took none)");
  std::vector<double> copy(samples.begin(), samples.end());
  return median_in_place(copy);
}

Estimate median_estimate(std::span<const double> samples) {
  constexpr std::size_t resamples = 4000;
  Estimate estimate{median(samples), 0.0, 0.0};
  std::mt19937_64 random(20061103);
  std::vector<double> medians(resamples), drawn(samples.size());
  for (double& value : medians) {
    // the high half of a product: even enough for these sizes, and the same with every standard library
    for (double& draw : drawn) draw = samples[((random() >> 32) * samples.size()) >> 32];
    value = median_in_place(drawn);
  }
  std::sort(medians.begin(), medians.end());
  estimate.low = medians[resamples / 40];
  estimate.high = medians[resamples - 1 - resamples / 40];
  return estimate;
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
  const bool reached = target.goal == Goal::at_least ? result.high >= target.value : result.low <= target.value;
  return reached ? Verdict::met : Verdict::missed;
}

}  // namespace tessera::benchmark
