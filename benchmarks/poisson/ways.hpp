// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <tessera/runtime/group.hpp>

#include "grid.hpp"

namespace tessera::benchmark::poisson {

/// This rank's strip, and one way to copy its first and last row to the borders of its neighbours.
struct Way {
  std::string name;
  std::shared_ptr<Grid> grid;
  /// Sends the points of a colour in both rows. All ranks call both functions in turn, equally often.
  std::function<void(int colour)> start;
  /// Returns when the rows of the neighbours have come, and the own ones may change.
  std::function<void()> finish;
};

/// put_notify; without a barrier. @collective
Way by_put_notify(const Group& world, index_t n);
/// MPI_Irecv, MPI_Isend, MPI_Waitall. @collective
Way by_messages(const Group& world, index_t n);
/// MPI_Put between MPI_Win_start and MPI_Win_complete. @collective
Way by_window(const Group& world, index_t n);

}  // namespace tessera::benchmark::poisson
