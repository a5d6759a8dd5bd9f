// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tessera/runtime/local_buffer.hpp>

#include "ends.hpp"
#include "movers.hpp"
#include "mpi_peer.hpp"

/// The movers of this benchmark: contiguous blocks from the beginning of the target's memory, and rows.
namespace tessera::benchmark::network {

inline constexpr index_t kib = 1024, mib = 1024 * kib, element = sizeof(double);

inline std::span<double> span_of(const LocalBuffer<double>& buffer) noexcept {
  return {buffer.begin(), buffer.end()};
}

/// Rows as a transfer of a segment, dense on the local side. @local
Strided shape_of(const Rows& rows) noexcept;
/// The places of rows, as in Transfer::places. @local
std::vector<index_t> places_of(const Rows& rows);

/// put, get and accumulate on a segment, each complete at the target on return. @local
Mover by_segment(const Ends& ends, Segment& segment, const Rows& rows, double* buffer, const Others& others,
                 double factor = 1.0);

/// The same by MPI on a window, without the factor. @local
Mover by_window(mpi_peer::Window& window, index_t bytes, double* buffer);

/// The same by messages, without accumulate. A put is acknowledged, and a get is requested, with 8 bytes.
/// `memory` is the target's. @local
Mover by_messages(const Ends& ends, index_t bytes, double* buffer, std::span<double> memory);

/// by_window if MPI has windows here, else by_messages. @collective to make
class Peer {
 public:
  Peer(const Ends& ends, index_t most);
  Mover of(index_t bytes, double* buffer);

 private:
  const Ends& ends_;
  std::optional<mpi_peer::Window> window_;
  std::vector<double> memory_;
};

}  // namespace tessera::benchmark::network
