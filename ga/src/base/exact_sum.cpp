// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/at.hpp"

namespace tessera::detail {
namespace {

constexpr std::int64_t radix = std::int64_t{1} << 32;

// x = mantissa * 2^exponent, for a finite x without its sign.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
};

Parts parts_of(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  return biased == 0 ? Parts{fraction, -1074} : Parts{fraction | std::uint64_t{1} << 52, biased - 1075};
}

}  // namespace

void ExactSum::add_at(unsigned __int128 magnitude, int exponent, bool negative) noexcept {
  const int place = exponent - lowest;
  std::int64_t* digit = words_.data() + place / 32;
  // The lowest digit takes what its shift leaves; then the rest begins at a digit.
  const int shift = place % 32;
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(magnitude << shift) & (radix - 1));
  *digit++ += negative ? -low : low;
  for (unsigned __int128 rest = magnitude >> (32 - shift); rest != 0; rest >>= 32) {
    const auto next = static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) & (radix - 1));
    *digit++ += negative ? -next : next;
  }
  constexpr std::int64_t most = std::int64_t{1} << 30;  // digits stay below 2^62
  if (++since_carry_ == most) carry();
}

void ExactSum::add(double x) noexcept {
  if (!std::isfinite(x)) {
    ++words_[at(digits + (std::isnan(x) ? nan : x > 0 ? plus_infinity : minus_infinity))];
    return;
  }
  const Parts parts = parts_of(x);
  add_at(parts.mantissa, parts.exponent, std::signbit(x));
}

void ExactSum::add_product(double x, double y) noexcept {
  if (!std::isfinite(x) || !std::isfinite(y)) return add(x * y);
  const Parts a = parts_of(x), b = parts_of(y);
  add_at(static_cast<unsigned __int128>(a.mantissa) * b.mantissa, a.exponent + b.exponent,
         std::signbit(x) != std::signbit(y));
}

// All digits but the last become 0 to 2^32 - 1. The last has the sign.
void ExactSum::carry() noexcept {
  std::int64_t over = 0;
  for (int d = 0; d < digits; ++d) {
    std::int64_t& digit = words_[at(d)];
    digit += over;
    if (d + 1 == digits) break;
    over = digit >> 32;
    digit -= over * radix;
  }
  since_carry_ = 0;
}

std::span<std::int64_t> ExactSum::words() noexcept {
  carry();
  return words_;
}

double ExactSum::value() const noexcept {
  if (words_[at(digits + nan)] > 0 ||
      (words_[at(digits + plus_infinity)] > 0 && words_[at(digits + minus_infinity)] > 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (words_[at(digits + plus_infinity)] > 0) return std::numeric_limits<double>::infinity();
  if (words_[at(digits + minus_infinity)] > 0) return -std::numeric_limits<double>::infinity();
  ExactSum sum = *this;
  sum.carry();
  const bool negative = sum.words_[at(digits - 1)] < 0;
  if (negative) {
    for (int d = 0; d < digits; ++d) sum.words_[at(d)] = -sum.words_[at(d)];
    sum.carry();
  }
  int top = digits - 1;
  while (top >= 0 && sum.words_[at(top)] == 0) --top;
  if (top < 0) return 0;
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum.words_[at(top)])));
  const int highest = 32 * top + width - 1;
  const auto bit = [&](int i) { return (sum.words_[at(i / 32)] >> (i % 32) & 1) != 0; };
  // The last bit that the result may have: 53 bits, or down to 2^-1074.
  const int last = std::max(highest - 52, -1074 - lowest);
  std::uint64_t mantissa = 0;
  for (int i = highest; i >= last; --i) mantissa = mantissa << 1 | static_cast<std::uint64_t>(bit(i));
  if (bit(last - 1)) {
    bool more = (mantissa & 1) != 0;
    for (int d = 0; !more && d < (last - 1) / 32; ++d) more = sum.words_[at(d)] != 0;
    for (int i = (last - 1) / 32 * 32; !more && i < last - 1; ++i) more = bit(i);
    mantissa += static_cast<std::uint64_t>(more);
  }
  const double magnitude = std::ldexp(static_cast<double>(mantissa), last + lowest);
  return negative ? -magnitude : magnitude;
}

}  // namespace tessera::detail
