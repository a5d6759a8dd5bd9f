// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "parcels.hpp"
#include "stage_work.hpp"

namespace tessera::fft {

/// The messages of stages. Each kind of parcel has one that is sent and one that is received.
struct Mails {
  explicit Mails(const Group& group)
      : lent(group, Channel::transform_input),
        fetched(group, Channel::transform_input),
        returned(group, Channel::transform_result),
        taken(group, Channel::transform_result) {}
  Mail lent, fetched, returned, taken;
};

/// Memory for the chunks of all stages. A chunk that travels has a buffer of three: its input still comes while
/// the chunk before it is transformed, and the results of the chunk before that one may still go.
struct ChunkBuffers {
  static constexpr std::size_t in_flight = 3;
  std::array<Scratch, in_flight> in, out;
  std::optional<Mails> mails;  // of groups on several nodes
};

/// This rank's share of a stage: chunks that are read, transformed, and written. Chunks that lie in one piece
/// in memory on this node are read (or written) where they are. So a stage makes no copies if both operands
/// have its dimensions whole.
///
/// Ranks of other nodes send their parts of a chunk, while the chunk before it is transformed, and get back the
/// results. All ranks go through their chunks by number, and so meet.
class StageRun {
 public:
  /// Plans the share, and makes room in the buffers. @local @throws std::bad_alloc, or Error from FFTW
  StageRun(const StageWork& work, fftw::Plans& plans, ChunkBuffers& buffers);
  /// Works through the share. What this node has of the results is written; what ranks of the same node have
  /// written is to be seen when they have synchronised. @collective
  void run(ChunkBuffers& buffers) const;

 private:
  // One side of a chunk: its box and strides in memory. `data` is null if it goes through a buffer.
  struct Side {
    Box box{};
    std::byte* data = nullptr;
    Coordinates strides{};
    std::vector<Parcel> parcels{};  // of other nodes
  };
  struct Chunk {
    Side in, out;
    // The input buffer is the output buffer as well.
    bool in_place = false;
    const fftw::Plan* plan = nullptr;
  };
  // Parts of chunks of ranks on other nodes, all with the same number.
  struct Others {
    std::vector<Parcel> lent, taken;
  };
  // Where the elements of a box are, if they are one piece on this node, and how they lie.
  struct Place {
    std::byte* data = nullptr;
    Coordinates strides{};
  };

  static Place place_of(const SliceCore& slice, const Box& box);
  void add_share(const StageShare& share, fftw::Plans& plans, ChunkBuffers& buffers);
  void add_chunk(Side in, Side out, const std::vector<int>& order, fftw::Plans& plans, ChunkBuffers& buffers);
  std::size_t buffer_of(std::size_t number) const { return travels_ ? number % ChunkBuffers::in_flight : 0; }
  void add_others();
  void make_room(Mails& mails) const;
  fftw::Problem problem(const Chunk& chunk) const;
  void begin(std::size_t number, ChunkBuffers& buffers) const;
  std::byte* place_in(const Side& side, std::byte* data, index_t size, const Box& box) const;
  template <class Move>
  void for_each_box_here(const SliceCore& slice, const Side& side, Move&& move) const;
  void work_on(std::size_t number, ChunkBuffers& buffers) const;
  void read(std::size_t number, std::byte* data, ChunkBuffers& buffers) const;
  void write(std::size_t number, std::byte* data, ChunkBuffers& buffers) const;
  void scale(const Side& out, std::byte* data) const;

  StageWork work_;
  int rank_;
  bool travels_;                // some data, between nodes
  index_t in_size_, out_size_;  // of an element
  std::vector<Chunk> chunks_;
  std::vector<Others> others_;  // by number
};

}  // namespace tessera::fft
