// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include <tessera/io/picture.hpp>

namespace tessera::io::detail {

/// The place of the high end of a range; the low end is at 0. Places are integers, so that a sum of places does
/// not depend on the order of its terms.
inline constexpr std::int64_t whole_range = std::int64_t{1} << 24;

/// The places of real numbers. @local
class RealScale {
 public:
  explicit RealScale(const ColourRange& range)
      : low_(range.low),
        high_(range.high),
        factor_(std::max(std::abs(low_), std::abs(high_)) > 1e307 ? 0.5 : 1) {}
  std::int64_t place(double x) const noexcept {
    if (x == low_ && x == high_) return whole_range / 2;
    if (x <= low_) return 0;
    if (x >= high_) return whole_range;
    const double part = (x * factor_ - low_ * factor_) / (high_ * factor_ - low_ * factor_);
    return static_cast<std::int64_t>(part * static_cast<double>(whole_range) + 0.5);
  }
  long double low() const noexcept { return low_; }
  long double high() const noexcept { return high_; }

 private:
  double low_, high_, factor_;  // the factor keeps the length of the range finite
};

/// The places of integers, all of which are in the range. Exact also where double is not. @local
class IntegerScale {
 public:
  IntegerScale(std::int64_t low, std::int64_t high) : low_(low), high_(high) {}
  std::int64_t place(std::int64_t x) const noexcept {
    if (low_ == high_) return whole_range / 2;
    const double part = distance(x) / distance(high_);
    return static_cast<std::int64_t>(part * static_cast<double>(whole_range) + 0.5);
  }
  long double low() const noexcept { return static_cast<long double>(low_); }
  long double high() const noexcept { return static_cast<long double>(high_); }

 private:
  double distance(std::int64_t x) const noexcept {
    return static_cast<double>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low_));
  }
  std::int64_t low_, high_;
};

using ColourScale = std::variant<RealScale, IntegerScale>;

}  // namespace tessera::io::detail
