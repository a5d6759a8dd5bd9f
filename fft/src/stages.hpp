// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/box.hpp>
#include <tessera/fft/options.hpp>

// The choice of stages, without communication, the same on every rank.
namespace tessera::fft {

/// A set of dimensions: bit d for dimension d.
using DimensionSet = std::uint32_t;

constexpr DimensionSet only(int d) noexcept { return DimensionSet{1} << d; }
constexpr bool contains(DimensionSet all, DimensionSet some) noexcept { return (some & ~all) == 0; }

/// What the choice depends on.
struct StageQuestion {
  int rank = 0;
  tessera::detail::Coordinates extents{};
  DimensionSet transformed = 0;
  /// The dimension that the first stage must have: the one that is shorter in the spectrum; -1 for none.
  int first = -1;
  /// The dimensions that every rank's blocks of the input (of the output) have from end to end.
  DimensionSet whole_in = 0, whole_out = 0;
  int ranks = 1;
  index_t element_size = 16;
  Decomposition decomposition = Decomposition::automatic;
};

/// The dimensions of each stage, from the first to the last. Together they are the transformed ones. @local
std::vector<DimensionSet> stages_for(const StageQuestion& question);

}  // namespace tessera::fft
