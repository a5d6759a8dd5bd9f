// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tessera::detail {

/// A sum of doubles and of products of doubles without any rounding: a fixed-point number that is long enough
/// for all of them (Kulisch and Miranker 1986). So neither order nor grouping matters. @local
class ExactSum {
 public:
  void add(double x) noexcept;
  void add_product(double x, double y) noexcept;
  /// The sum, rounded to nearest. NaN and infinities give what additions in any order give. @local
  double value() const noexcept;
  /// The sum as integers that may be added up over as many as 2^30 members, one by one. @local
  std::span<std::int64_t> words() noexcept;

 private:
  // The lowest bit is that of the product of the two smallest numbers, 2^-2148. Digits have 32 bits, and room
  // for carries.
  static constexpr int lowest = -2148, digits = (2 * 1024 - lowest) / 32 + 3;
  enum Special { nan, plus_infinity, minus_infinity, specials };

  void add_at(unsigned __int128 magnitude, int exponent, bool negative) noexcept;
  void carry() noexcept;

  std::array<std::int64_t, static_cast<std::size_t>(digits + specials)> words_{};
  std::int64_t since_carry_ = 0;
};

}  // namespace tessera::detail
