// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

namespace tessera::benchmark::gups {

/// The random numbers of HPC Challenge's RandomAccess: number k is x^k modulo x^64 + x^2 + x + 1, a polynomial
/// over the integers modulo 2. @local
class Stream {
 public:
  /// The stream after its first `k` numbers.
  explicit Stream(std::uint64_t k) noexcept : value_(power(k)) {}
  std::uint64_t next() noexcept { return value_ = times_x(value_); }

 private:
  static constexpr std::uint64_t remainder = 7;  // x^64 modulo that polynomial
  static std::uint64_t times_x(std::uint64_t a) noexcept { return a << 1 ^ (a >> 63 != 0 ? remainder : 0); }
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t sum = 0;
    for (; b != 0; b >>= 1, a = times_x(a)) sum ^= (b & 1) != 0 ? a : 0;
    return sum;
  }
  static std::uint64_t power(std::uint64_t k) noexcept {
    std::uint64_t result = 1;
    for (std::uint64_t base = 2; k != 0; k >>= 1, base = product(base, base))
      if ((k & 1) != 0) result = product(result, base);
    return result;
  }

  std::uint64_t value_;
};

}  // namespace tessera::benchmark::gups
