// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/segment.hpp>

#include "armci_peer.hpp"
#include "movers.hpp"
#include "mpi_peer.hpp"

/// The movers of the libraries. They move between a dense buffer of rank 0 and rows at the beginning of one
/// rank's memory. Each transfer is complete at its target on return.
namespace tessera::benchmark {

/// The buffer as the local side of transfers. @local
inline std::span<double> span_of(const LocalBuffer<double>& buffer) noexcept {
  return {buffer.begin(), buffer.end()};
}

/// The places of rows, as in Transfer::places. @local
std::vector<index_t> places_of(const Rows& rows);
/// From the first byte of all rows at the target to the last. @local
index_t extent_of(const Rows& rows) noexcept;

/// Where the memory of MPI's fastest windows over these ranks comes from. @local
mpi_peer::Memory fastest_memory(const Group& world);

/// By a segment. @local
Mover by_segment(Segment& segment, int rank, const Rows& rows, double* buffer, const Others& others,
                 double factor = 1.0);
/// By MPI on a window. @local
Mover by_window(mpi_peer::Window& window, int rank, const Rows& rows, double* buffer);
/// By messages of MPI, contiguous blocks alone, without accumulate. A put is acknowledged, and a get is
/// requested, with 8 bytes. `memory` is the target's. The target is not rank 0. @local
Mover by_messages(const Group& world, int rank, index_t bytes, double* buffer, std::span<double> memory);
/// By ARMCI. @local
Mover by_armci(armci_peer::Memory& memory, int rank, const Rows& rows, double* buffer);

/// Contiguous blocks by_window if MPI has windows here, else by_messages. @collective to make
class MpiMovers {
 public:
  MpiMovers(const Group& world, bool windows, index_t most);
  /// Without windows it is empty for rank 0, which does not send messages to itself. @local
  Mover of(int rank, index_t bytes, double* buffer);

 private:
  const Group& world_;
  std::optional<mpi_peer::Window> window_;
  std::vector<double> memory_;
};

}  // namespace tessera::benchmark
