// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>

#include <tessera/index.hpp>

namespace tessera {

/// A rectangular index range, half-open: [lo, hi) in every dimension. Empty where some lo == hi. @local
template <std::size_t N>
struct Patch {
  Index<N> lo, hi;

  /// The patch of `size` elements that begins at `lo`. @local
  static constexpr Patch at(const Index<N>& lo, const Extents<N>& size) { return {lo, lo + size}; }
  /// The patch from `first` to `last`, both included: the bounds of the Global Arrays interface. @local
  static constexpr Patch inclusive(const Index<N>& first, Index<N> last) {
    for (std::size_t d = 0; d < N; ++d) ++last[d];
    return {first, last};
  }
  /// The patch that covers `dims`. @local
  static constexpr Patch whole(const Extents<N>& dims) { return {Index<N>{}, Index<N>{} + dims}; }

  constexpr Extents<N> extents() const { return hi - lo; }
  constexpr index_t size() const { return empty() ? 0 : extents().size(); }
  constexpr bool empty() const {
    for (std::size_t d = 0; d < N; ++d) {
      if (lo[d] >= hi[d]) return true;
    }
    return false;
  }
  constexpr bool contains(const Index<N>& at) const {
    for (std::size_t d = 0; d < N; ++d) {
      if (at[d] < lo[d] || at[d] >= hi[d]) return false;
    }
    return true;
  }
  friend constexpr bool operator==(const Patch&, const Patch&) = default;
};

/// The common part of two patches; empty (hi == lo where they miss each other) if there is none. @local
template <std::size_t N>
constexpr Patch<N> intersect(const Patch<N>& a, const Patch<N>& b) {
  Patch<N> both;
  for (std::size_t d = 0; d < N; ++d) {
    both.lo[d] = std::max(a.lo[d], b.lo[d]);
    both.hi[d] = std::max(both.lo[d], std::min(a.hi[d], b.hi[d]));
  }
  return both;
}

}  // namespace tessera
