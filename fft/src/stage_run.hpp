// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>

#include "chunks.hpp"
#include "fftw.hpp"
#include "scratch.hpp"

namespace tessera::fft {

using tessera::detail::SliceCore;

/// One stage of a transform, as it is for every rank.
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
};

/// Memory for the chunks of all stages.
struct ChunkBuffers {
  Scratch in, out;
};

/// This rank's share of a stage: chunks that are read, transformed, and written. Chunks that lie in one piece
/// in memory on this node are read (or written) where they are. So a stage makes no copies if both operands
/// have its dimensions whole. @local
class StageRun {
 public:
  /// Plans the share, and makes room in the buffers. @throws std::bad_alloc, or Error from FFTW
  StageRun(const StageWork& work, fftw::Plans& plans, ChunkBuffers& buffers);
  /// Works through the share. Results are written when all members have synchronised. @onesided
  void run(ChunkBuffers& buffers) const;

 private:
  // One side of a chunk: its box and strides in memory. `data` is null if it goes through a buffer.
  struct Side {
    Box box{};
    std::byte* data = nullptr;
    Coordinates strides{};
  };
  struct Chunk {
    Side in, out;
    // The input buffer is the output buffer as well.
    bool in_place = false;
    const fftw::Plan* plan = nullptr;
  };
  // Where the elements of a box are, if they are one piece on this node, and how they lie.
  struct Place {
    std::byte* data = nullptr;
    Coordinates strides{};
  };

  static Place place_of(const SliceCore& slice, const Box& box);
  std::vector<Box> share() const;
  Box side_box(const Box& chunk, const SliceCore& slice) const;
  void add_share(const Box& box, fftw::Plans& plans, ChunkBuffers& buffers);
  void add_chunk(const Side& in, const Side& out, std::span<const int> order, fftw::Plans& plans,
                 ChunkBuffers& buffers);
  fftw::Problem problem(const Chunk& chunk) const;
  void work_on(const Chunk& chunk, ChunkBuffers& buffers) const;
  void scale(const Side& out, std::byte* data) const;

  StageWork work_;
  int rank_;
  index_t in_size_, out_size_;  // of an element
  std::vector<Chunk> chunks_;
};

}  // namespace tessera::fft
