// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <span>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/detail/member_messages.hpp>

#include "chunks.hpp"
#include "scratch.hpp"

// Parts of chunks that are on other nodes than the rank that works on the chunk. Both sides know which these
// are, so nobody has to ask for them.
namespace tessera::fft {

using tessera::detail::LocalPiece;
using tessera::detail::SliceCore;

/// What one message between two ranks carries: boxes of a chunk, one after the other, each with its elements in
/// the same order of dimensions.
struct Parcel {
  int rank = 0;  // of the other side
  std::vector<LocalPiece> pieces;
  std::vector<int> closest_first;
};

/// The parcels between the rank that works on a chunk, which is this one, and ranks of other nodes. Their
/// pieces have no data: it is in the memory of the chunk. @local
std::vector<Parcel> parcels_of(const SliceCore& slice, const Box& chunk, const std::vector<int>& closest_first);
/// The parcel between this rank, which has these pieces of the slice, and the rank that works on a chunk. It is
/// empty if they have nothing in common. @local
Parcel parcel_with(int rank, std::span<const LocalPiece> pieces, index_t element_size, const Box& chunk,
                   const std::vector<int>& closest_first);

/// Messages with parcels of one kind. There is memory for those of two chunks, whose numbers follow each other.
class Mail {
 public:
  /// Which parcels meet: those that one rank sends, and those that others receive.
  enum class Kind : int { input, result };
  /// @collective as MemberMessages
  Mail(const Group& group, Kind kind) : kind_(kind), turns_{Turn(group), Turn(group)} {}

  /// Makes room for the parcels of a chunk. @local @throws std::bad_alloc
  void reserve(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size);
  /// Sends the parcels of a chunk. at(piece) is where the data of a piece begins.
  template <class At>
  void send(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size, At&& at);
  /// Begins to receive the parcels of a chunk.
  void receive(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size);
  /// Waits for them, and puts the data of each piece to its place.
  template <class At>
  void take(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size, At&& at);
  /// Returns when all that was sent has left its memory.
  void finish();

 private:
  struct Turn {
    explicit Turn(const Group& group) : messages(group) {}
    Scratch memory;
    tessera::detail::MemberMessages messages;
  };
  Turn& turn(std::size_t chunk) { return turns_[chunk % 2]; }
  int channel() const noexcept { return static_cast<int>(kind_); }

  Kind kind_;
  std::array<Turn, 2> turns_;
};

namespace detail {

/// The bytes of a parcel. @local
index_t bytes_of(const Parcel& parcel, index_t element_size);
/// Copy a piece, whose data begins at `data`, into a message, or out of it. Both return the end of the piece in
/// the message. @local
std::byte* pack(std::byte* message, const std::byte* data, const LocalPiece& piece,
                std::span<const int> closest_first, index_t element_size);
const std::byte* unpack(const std::byte* message, std::byte* data, const LocalPiece& piece,
                        std::span<const int> closest_first, index_t element_size);

}  // namespace detail

template <class At>
void Mail::send(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size, At&& at) {
  auto& [memory, messages] = turn(chunk);
  messages.wait();  // for those of an earlier chunk
  std::byte* free = memory.data();
  for (const Parcel& parcel : parcels) {
    std::byte* const begin = free;
    for (const LocalPiece& piece : parcel.pieces)
      free = detail::pack(free, at(piece), piece, parcel.closest_first, element_size);
    messages.send(parcel.rank, channel(), begin, free - begin);
  }
}

template <class At>
void Mail::take(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size, At&& at) {
  auto& [memory, messages] = turn(chunk);
  messages.wait();
  const std::byte* next = memory.data();
  for (const Parcel& parcel : parcels) {
    for (const LocalPiece& piece : parcel.pieces)
      next = detail::unpack(next, at(piece), piece, parcel.closest_first, element_size);
  }
}

}  // namespace tessera::fft
