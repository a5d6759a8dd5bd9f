// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// One stage of a time step on the cells of one block.
#pragma once

#include <tessera/offset_view.hpp>

#include "state.hpp"

namespace euler {

using tessera::index_t;

/// The cells on either side that a cell's new state depends on.
inline constexpr index_t reach = 2;

/// A forward step of length dt, of which a share of an earlier state is the rest.
struct Stage {
  double dt, dx, dy;
  double share;  ///< of the earlier state
};

/// to = share * earlier + (1 - share) * (from + dt * rate of change of from), where `from` has valid ghost
/// cells. `to` and `earlier` may be the same. @local
void sweep(const tessera::OffsetView<const State, 2>& from, const tessera::OffsetView<const State, 2>& earlier,
           const tessera::OffsetView<State, 2>& to, const tessera::Patch<2>& cells, const Stage& stage);

/// The largest sum of wave speeds over cell sizes along x and y: the inverse of the time in which a wave
/// crosses a cell. Infinite if a density or pressure is not positive. @local
double crossing_rate(const tessera::OffsetView<const State, 2>& states, const tessera::Patch<2>& cells,
                     double dx, double dy);

}  // namespace euler
