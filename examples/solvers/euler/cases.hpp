// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Flows to compute.
#pragma once

#include <functional>
#include <string>

#include <tessera/runtime/types.hpp>

#include "state.hpp"

namespace euler {

/// What is at both ends of a dimension.
enum class Ends { periodic, open, walls };

struct Case {
  std::string name;
  double width, height;   ///< of the domain
  tessera::index_t rows;  ///< of cells; 0: as many as columns
  Ends x, y;
  double end;  ///< the last time
  /// The state at x, y and a time from 0.
  std::function<Primitive(double, double, double)> solution;
  bool is_exact;  ///< `solution` holds for all times, not only for 0

  bool is_closed() const noexcept { return x != Ends::open && y != Ends::open; }
};

/// A shock tube (Sod 1978): a few equal rows.
Case sod();
/// An isentropic vortex that is carried through a periodic box, and comes back at time 10 (Shu 1998).
Case vortex();
/// Hot gas in the middle of a closed box; its shock comes back from the walls.
Case blast();

}  // namespace euler
