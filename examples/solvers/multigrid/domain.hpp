// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/boundaries.hpp>

namespace solvers {

/// What holds at an end of a dimension: the derivative is 0 (Neumann), or the value is 0 (Dirichlet).
enum class Condition : std::uint8_t { neumann, dirichlet };

/// A box of cells with unknowns in their middles, on which -Laplace(x) = f is solved.
template <std::size_t N>
struct Domain {
  std::array<double, N> spacing;                      ///< the edges of a cell
  std::array<bool, N> periodic = {};                  ///< these dimensions have no ends
  std::array<std::array<Condition, 2>, N> ends = {};  ///< low and high

  /// Whether x is determined but for a constant. @local
  bool is_singular() const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      for (const Condition end : ends[d]) {
        if (!periodic[d] && end == Condition::dirichlet) return false;
      }
    }
    return true;
  }
  /// The same box with cells that are twice as large. @local
  Domain coarsened() const noexcept {
    Domain coarse = *this;
    for (double& h : coarse.spacing) h *= 2;
    return coarse;
  }
  /// What the ghost cells of x get: mirrored values, so that the condition holds at the face. @local
  tessera::Boundaries<double, N> boundaries() const {
    using Boundary = tessera::Boundary<double, N>;
    tessera::Boundaries<double, N> all;
    for (std::size_t d = 0; d < N; ++d) {
      if (periodic[d]) continue;
      for (const auto side : {tessera::Side::low, tessera::Side::high}) {
        const Condition end = ends[d][side == tessera::Side::high ? 1 : 0];
        all.set(static_cast<int>(d), side, end == Condition::neumann ? Boundary::even() : Boundary::odd());
      }
    }
    return all;
  }
};

}  // namespace solvers
