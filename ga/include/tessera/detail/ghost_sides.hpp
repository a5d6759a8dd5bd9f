// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include <tessera/core/box.hpp>

namespace tessera {

/// How ghost cells are exchanged; the result is the same.
enum class GhostMethod : std::uint8_t {
  automatic,     ///< whichever is expected to be faster
  by_dimension,  ///< one dimension after the other, which fills corners too: two neighbours at a time
  all_at_once,   ///< with all neighbours, including those across corners
};

/// Whether corners take part: cells that are beside the block in more than one dimension.
enum class Corners : std::uint8_t { without, with };

/// The sides of a block along a dimension.
enum class Side : std::uint8_t { low, high, both };

namespace detail {

/// Which ghost cells are exchanged.
struct GhostSides {
  int dimension = -1;  // all
  Side side = Side::both;
  Corners corners = Corners::with;
  friend bool operator==(const GhostSides&, const GhostSides&) = default;
};

/// Which ghost cells of an array take part in any exchange.
struct HaloShape {
  Coordinates low{}, high{};  // how many on either side, at most the array's
  Corners corners = Corners::with;
  Box only{};  // which elements, along dimensions without ghost cells
};

}  // namespace detail
}  // namespace tessera
