// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>

#include "chunks.hpp"
#include "fftw.hpp"

// What a stage does, and how its work is divided. Every rank knows it of every rank.
namespace tessera::fft {

using tessera::detail::SliceCore;

/// One stage of a transform.
struct StageWork {
  SliceCore in, out;
  DimensionSet dimensions;
  fftw::Kind kind;
  /// The dimension that is shorter in the spectrum; only where one side is real.
  int halved;
  /// Whether the input may be destroyed.
  bool may_change_input;
  /// Whether all ranks' blocks of the input (of the output) have the stage's dimensions from end to end.
  bool is_whole_in, is_whole_out;
  fftw::Precision precision;
  Effort effort;
  /// What results are multiplied by; 1 for nothing.
  double factor;

  const Group& group() const noexcept { return in.array().group(); }
  /// Whether data may have to come from other nodes, or go there.
  bool fetches() const { return group().node_count() > 1 && !is_whole_in; }
  bool returns() const {
    return group().node_count() > 1 && (is_whole_in ? !in.is_aligned_with(out) : !is_whole_out);
  }
};

/// A box of a rank's share, and the chunks in which the rank works through it. The chunks are boxes of the
/// input or of the output: their extents along the stage's dimensions do not count.
struct StageShare {
  Box in, out;
  std::vector<int> closest_first;  // the dimensions, by the distance of elements in the input
  std::vector<Box> chunks;
};

/// What a rank works on. @local
std::vector<StageShare> shares_of(const StageWork& work, int rank);

/// The box of a chunk in the input (in the output). @local
Box box_in(const StageWork& work, const SliceCore& side, const Box& chunk);

/// Whether a box has all elements of another one. @local
bool covers(const Box& all, const Box& some, int rank);

}  // namespace tessera::fft
