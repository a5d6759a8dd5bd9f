// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ghia.hpp"

#include <algorithm>
#include <cmath>

namespace reference {

double Profile::at(double position) const {
  const auto count = static_cast<long>(values.size());
  // Points 0 and count + 1 are the walls.
  const auto place = [&](long k) {
    return std::clamp((static_cast<double>(k) - 0.5) / static_cast<double>(count), 0.0, 1.0);
  };
  const auto value = [&](long k) {
    return k == 0 ? first_wall : k > count ? last_wall : values[static_cast<std::size_t>(k - 1)];
  };
  const auto before = static_cast<long>(std::floor(position * static_cast<double>(count) + 0.5));
  const long first = std::clamp(before - 1, 0L, count - 2);
  double sum = 0;
  for (long k = first; k < first + 4; ++k) {
    double factor = value(k);
    for (long other = first; other < first + 4; ++other)
      if (other != k) factor *= (position - place(other)) / (place(k) - place(other));
    sum += factor;
  }
  return sum;
}

namespace {

// The least of `sign` times a profile, at many points in each cell.
double extreme(const Profile& profile, double sign) {
  const std::size_t points = 16 * profile.values.size();
  double least = sign * profile.values[0];
  for (std::size_t k = 8; k + 8 < points; ++k)
    least = std::min(least, sign * profile.at(static_cast<double>(k) / static_cast<double>(points)));
  return sign * least;
}

}  // namespace

double Profile::least() const { return extreme(*this, 1); }
double Profile::greatest() const { return extreme(*this, -1); }

std::optional<Deviation> largest_deviation(const Profile& profile, double reynolds,
                                           std::span<const double> positions,
                                           std::span<const Reference> references) {
  const auto reference = std::find_if(references.begin(), references.end(),
                                      [&](const Reference& one) { return one.reynolds == reynolds; });
  if (reference == references.end()) return {};
  Deviation largest{0, positions[0]};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const double difference = profile.at(positions[k]) - reference->values[k];
    if (std::abs(difference) > std::abs(largest.difference)) largest = {difference, positions[k]};
  }
  return largest;
}

}  // namespace reference
