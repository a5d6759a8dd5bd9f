// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>

#include <tessera/runtime/types.hpp>

namespace tessera {

/// The shape of a transfer between a slice of a segment and local memory: `levels` nested loops, innermost
/// first, over runs of `run` bytes that are contiguous on both sides. Strides are in bytes and may be negative.
/// @local
struct Strided {
  index_t run = 0;
  int levels = 0;
  // Entries beyond `levels` are neither used nor set: zeroing them would take longer than a short transfer.
  std::array<index_t, max_rank> count;
  std::array<index_t, max_rank> remote_stride;
  std::array<index_t, max_rank> local_stride;

  /// A contiguous transfer of `bytes`.
  static Strided contiguous(index_t bytes) noexcept {
    Strided shape;
    shape.run = bytes;
    return shape;
  }

  /// Bytes moved in all; 0 if any count is 0.
  constexpr index_t bytes() const noexcept {
    index_t total = run;
    for (int level = 0; level < levels; ++level) total *= count[static_cast<std::size_t>(level)];
    return total;
  }

  /// The same transfer with fewer loops. It drops loops of one iteration, and joins loops that continue the run
  /// (or each other) on both sides. The loop of the smallest remote stride is innermost. Elements keep their
  /// pairing.
  Strided merged() const noexcept;
};

}  // namespace tessera
