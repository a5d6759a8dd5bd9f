// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "library_movers.hpp"
#include "sections.hpp"

namespace tessera::benchmark::sweeps {

/// The memory of MPI's window and of ARMCI, as far as they are here. @collective to make and destroy
class Rivals {
 public:
  Rivals(const Group& world, const Place& place, index_t most) : target_(world.size() - 1) {
    if (place.windows) window_.emplace(world, most, fastest_memory(world));
    if (place.armci) armci_ = armci_peer::allocate(world, most);
  }

  /// Their movers between the buffer and rows of the last rank's memory. @local
  std::vector<Mover> of(const Rows& rows, double* buffer) {
    std::vector<Mover> movers;
    if (window_) movers.push_back(by_window(*window_, target_, rows, buffer));
    if (armci_) movers.push_back(by_armci(*armci_, target_, rows, buffer));
    return movers;
  }

 private:
  int target_;
  std::optional<mpi_peer::Window> window_;
  std::unique_ptr<armci_peer::Memory> armci_;
};

}  // namespace tessera::benchmark::sweeps
