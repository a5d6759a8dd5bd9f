// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <bit>
#include <cstdint>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Divides by a number that is known beforehand, with one multiplication (Granlund and Montgomery, PLDI 1994,
/// section 4, for numerators of 63 bits). Otherwise, divisions would take most of the time to find one element.
/// @local
class Divisor {
 public:
  Divisor() = default;
  /// `by` is at least 1.
  explicit Divisor(index_t by)
      : factor_(static_cast<std::uint64_t>((Wide{1} << (63 + bits(by))) / static_cast<std::uint64_t>(by)) + 1),
        shift_(bits(by)) {}

  /// n / by, for n not below 0.
  index_t operator()(index_t n) const noexcept {
    return static_cast<index_t>(
        static_cast<std::uint64_t>((Wide{2 * static_cast<std::uint64_t>(n)} * factor_) >> 64) >> shift_);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static int bits(index_t by) noexcept {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(by) - 1));
  }

  std::uint64_t factor_ = (std::uint64_t{1} << 63) + 1;
  int shift_ = 0;
};

}  // namespace tessera::detail
