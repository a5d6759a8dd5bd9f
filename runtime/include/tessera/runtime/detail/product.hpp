// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <limits>
#include <optional>
#include <span>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The product of sizes; empty if it does not fit 64 bits; 0 if any size is 0, however large the others are.
/// @local
constexpr std::optional<index_t> checked_product(std::span<const index_t> factors) noexcept {
  index_t product = 1;
  bool fits = true;
  for (const index_t factor : factors) {
    if (factor == 0) return 0;
    fits = fits && !__builtin_mul_overflow(product, factor, &product);
  }
  return fits ? std::optional(product) : std::nullopt;
}

constexpr std::optional<index_t> checked_product(index_t a, index_t b) noexcept {
  const index_t factors[] = {a, b};
  return checked_product(factors);
}

/// The size of `count` things of size `each`, to be requested from a segment. A negative count gives -1; a size
/// that does not fit gives the largest number. The segment then refuses either with its own error, on every
/// rank.
/// @local
constexpr index_t size_to_ask(index_t count, index_t each) noexcept {
  return count < 0 ? -1 : checked_product(count, each).value_or(std::numeric_limits<index_t>::max());
}

}  // namespace tessera::detail
