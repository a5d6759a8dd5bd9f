// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/detail/member_messages.hpp>

#include "chunks.hpp"
#include "scratch.hpp"

// Parts of chunks that are on other nodes than the rank that works on the chunk. Both sides know which these
// are, so nobody has to ask for them.
namespace tessera::fft {

using tessera::detail::Channel;
using tessera::detail::LocalPiece;
using tessera::detail::Pace;
using tessera::detail::SliceCore;

/// How the elements of chunks follow each other in messages and buffers.
struct ElementOrder {
  DimensionSet stage = 0;
  std::vector<int> closest_first{};
  index_t element_size = 0;

  DenseChunk dense(const Box& box) const { return {box, stage, closest_first, element_size}; }
};

/// What one message between two ranks carries: boxes of a chunk, one after the other.
struct Parcel {
  int rank = 0;  // of the other side
  std::vector<LocalPiece> pieces;
  ElementOrder order;
  bool is_in_buffer = false;  // the message is part of the chunk's buffer as it lies there

  /// The length of the message. @local
  index_t bytes() const;
};

/// The parcels between the rank that works on a chunk, which is this one, and ranks of other nodes. Their
/// pieces have no data: it is in a buffer, where elements have these strides. @local
std::vector<Parcel> parcels_of(const SliceCore& slice, const Box& chunk, const ElementOrder& order,
                               const Coordinates& strides);
/// The parcel between this rank, which has these pieces of the slice, and the rank that works on a chunk. It is
/// empty if they have nothing in common. @local
Parcel parcel_with(int rank, std::span<const LocalPiece> pieces, const Box& chunk, const ElementOrder& order);

/// Messages with parcels of one kind. There is memory for those of two chunks, whose numbers follow each other.
class Mail {
 public:
  /// @collective as MemberMessages
  Mail(const Group& group, Channel channel) : channel_(channel), turns_{Turn(group), Turn(group)} {}

  /// Makes room for the parcels of a chunk, but those in buffers. @local @throws std::bad_alloc
  void reserve(std::size_t chunk, std::span<const Parcel> parcels);
  /// Sends the parcels of a chunk. at(piece) is where the data of a piece begins. What is in a buffer is sent
  /// from there.
  template <class At>
  void send(std::size_t chunk, std::span<const Parcel> parcels, At&& at);
  /// Begins to receive the parcels of a chunk, to where at(piece) says or into the memory here.
  template <class At>
  void receive(std::size_t chunk, std::span<const Parcel> parcels, At&& at);
  /// Waits for them, and puts the data of each piece to its place.
  template <class At>
  void take(std::size_t chunk, std::span<const Parcel> parcels, At&& at);
  /// Returns when what was sent of a chunk, or of all, may be changed.
  void finish(std::size_t chunk) { turn(chunk).messages.wait(); }
  void finish();

 private:
  struct Turn {
    explicit Turn(const Group& group) : messages(group) {}
    Scratch memory;
    tessera::detail::MemberMessages messages;
  };
  Turn& turn(std::size_t chunk) { return turns_[chunk % 2]; }

  Channel channel_;
  std::array<Turn, 2> turns_;
};

namespace detail {

/// Copy a piece, whose data begins at `data`, into a message, or out of it. Both return the end of the piece in
/// the message. @local
std::byte* pack(std::byte* message, const std::byte* data, const LocalPiece& piece, const ElementOrder& order);
const std::byte* unpack(const std::byte* message, std::byte* data, const LocalPiece& piece,
                        const ElementOrder& order);

}  // namespace detail

template <class At>
void Mail::send(std::size_t chunk, std::span<const Parcel> parcels, At&& at) {
  auto& [memory, messages] = turn(chunk);
  messages.wait();  // for those of an earlier chunk
  std::byte* free = memory.data();
  for (const Parcel& parcel : parcels) {
    const std::byte* message = free;
    if (parcel.is_in_buffer)
      message = at(parcel.pieces.front());
    else
      for (const LocalPiece& piece : parcel.pieces) free = detail::pack(free, at(piece), piece, parcel.order);
    messages.send(parcel.rank, channel_, message, parcel.bytes(), Pace::answered);
  }
}

template <class At>
void Mail::receive(std::size_t chunk, std::span<const Parcel> parcels, At&& at) {
  auto& [memory, messages] = turn(chunk);
  std::byte* free = memory.data();
  for (const Parcel& parcel : parcels) {
    const index_t bytes = parcel.bytes();
    std::byte* const message =
        parcel.is_in_buffer ? at(parcel.pieces.front()) : std::exchange(free, free + bytes);
    messages.receive(parcel.rank, channel_, message, bytes);
  }
}

template <class At>
void Mail::take(std::size_t chunk, std::span<const Parcel> parcels, At&& at) {
  auto& [memory, messages] = turn(chunk);
  messages.wait();
  const std::byte* next = memory.data();
  for (const Parcel& parcel : parcels) {
    if (parcel.is_in_buffer) continue;
    for (const LocalPiece& piece : parcel.pieces) next = detail::unpack(next, at(piece), piece, parcel.order);
  }
}

}  // namespace tessera::fft
