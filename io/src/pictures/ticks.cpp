// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/ticks.hpp"

#include <algorithm>
#include <cmath>

#include "format.hpp"

namespace tessera::io::detail {
namespace {

// digit * 10^exponent. Powers of ten are exact up to 10^27, unlike their reciprocals.
struct TickStep {
  int digit, exponent;
  long double times(long double factor) const {
    const long double product = factor * static_cast<long double>(digit);
    return exponent < 0 ? product / std::pow(10.0L, static_cast<long double>(-exponent))
                        : product * std::pow(10.0L, static_cast<long double>(exponent));
  }
};

struct Multiples {
  long double first, last;  // factors of the step
  long double count() const { return last - first + 1; }
};

Multiples multiples(const TickStep& step, long double low, long double high) {
  // An end that is a multiple in decimal digits may be a little inside or outside as a binary number.
  constexpr long double tolerance = 1e-9L;
  const long double unit = step.times(1);
  return {std::ceil(low / unit - tolerance), std::floor(high / unit + tolerance)};
}

int exponent_of(long double x) { return static_cast<int>(std::floor(std::log10(x))); }

// The least step with at most `most` multiples in the range.
TickStep step_for(long double low, long double high, int most, Numbers numbers) {
  const auto parts = static_cast<long double>(most);
  int exponent = exponent_of(high / parts - low / parts) - 1;
  if (numbers == Numbers::whole) exponent = std::max(exponent, 0);
  for (;; ++exponent) {
    for (const int digit : {1, 2, 5}) {
      const TickStep step{digit, exponent};
      if (multiples(step, low, high).count() <= parts) return step;
    }
  }
}

std::string label_of(long double value, const TickStep& step, long double largest, Numbers numbers) {
  const int top = exponent_of(largest), last = step.exponent;
  if (value == 0) return "0";
  if (numbers == Numbers::whole) return formatted("{:.0f}", value);
  const auto number = static_cast<double>(value);
  if (top < 6 && last >= -5) return formatted("{:.{}f}", number, std::max(0, -last));
  return formatted("{:.{}e}", number, std::max(0, exponent_of(std::abs(value)) - last));
}

}  // namespace

std::vector<Tick> ticks_of(long double low, long double high, int most, Numbers numbers) {
  if (low == high) {
    return {{0.5,
             numbers == Numbers::whole ? formatted("{:.0f}", low) : formatted("{}", static_cast<double>(low))}};
  }
  const TickStep step = step_for(low, high, most, numbers);
  const Multiples found = multiples(step, low, high);
  std::vector<Tick> all;
  for (int i = 0; i < static_cast<int>(found.count()); ++i) {
    const long double value = step.times(found.first + static_cast<long double>(i));
    const long double part = (value / 2 - low / 2) / (high / 2 - low / 2);
    all.push_back({std::clamp(static_cast<double>(part), 0.0, 1.0),
                   label_of(value, step, std::max(std::abs(low), std::abs(high)), numbers)});
  }
  return all;
}

}  // namespace tessera::io::detail
