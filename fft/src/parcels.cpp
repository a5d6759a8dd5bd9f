// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "parcels.hpp"

#include <algorithm>
#include <map>

#include <tessera/runtime/detail/copy.hpp>

namespace tessera::fft {
namespace {

// Layouts list blocks in different orders, so a message has its own.
void put_in_order(Parcel& parcel) {
  const std::size_t rank = parcel.closest_first.size();
  std::sort(parcel.pieces.begin(), parcel.pieces.end(), [rank](const LocalPiece& a, const LocalPiece& b) {
    return std::lexicographical_compare(a.box.lo.begin(), a.box.lo.begin() + static_cast<std::ptrdiff_t>(rank),
                                        b.box.lo.begin(), b.box.lo.begin() + static_cast<std::ptrdiff_t>(rank));
  });
}

// Messages are dense, and count as the local side.
tessera::Strided shape_of(const LocalPiece& piece, std::span<const int> closest_first, index_t element_size) {
  auto shape = tessera::Strided::contiguous(element_size);
  index_t dense = element_size;
  for (const int d : closest_first) {
    const std::size_t level = at(shape.levels++);
    shape.count[level] = extent(piece.box, d);
    shape.local_stride[level] = dense;
    shape.remote_stride[level] = piece.strides[at(d)] * element_size;
    dense *= extent(piece.box, d);
  }
  return shape;
}

}  // namespace

std::vector<Parcel> parcels_of(const SliceCore& slice, const Box& chunk,
                               const std::vector<int>& closest_first) {
  const Group& group = slice.array().group();
  std::map<int, Parcel> parcels;
  slice.for_each_piece(chunk, [&](int rank, const LocalPiece& piece) {
    if (!group.on_node(rank)) parcels[rank].pieces.push_back(piece);
  });
  std::vector<Parcel> all;
  for (auto& [rank, parcel] : parcels) {
    parcel.rank = rank;
    parcel.closest_first = closest_first;
    put_in_order(parcel);
    all.push_back(std::move(parcel));
  }
  return all;
}

Parcel parcel_with(int rank, std::span<const LocalPiece> pieces, index_t element_size, const Box& chunk,
                   const std::vector<int>& closest_first) {
  Parcel parcel{rank, {}, closest_first};
  for (const LocalPiece& piece : pieces) {
    LocalPiece part = piece;
    bool is_empty = false;
    for (const int d : closest_first) {
      part.box.lo[at(d)] = std::max(piece.box.lo[at(d)], chunk.lo[at(d)]);
      part.box.hi[at(d)] = std::min(piece.box.hi[at(d)], chunk.hi[at(d)]);
      part.data += (part.box.lo[at(d)] - piece.box.lo[at(d)]) * piece.strides[at(d)] * element_size;
      is_empty = is_empty || extent(part.box, d) <= 0;
    }
    if (!is_empty) parcel.pieces.push_back(part);
  }
  put_in_order(parcel);
  return parcel;
}

void Mail::reserve(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size) {
  index_t bytes = 0;
  for (const Parcel& parcel : parcels) bytes += detail::bytes_of(parcel, element_size);
  turn(chunk).memory.reserve(static_cast<std::size_t>(bytes));
}

void Mail::receive(std::size_t chunk, std::span<const Parcel> parcels, index_t element_size) {
  auto& [memory, messages] = turn(chunk);
  std::byte* free = memory.data();
  for (const Parcel& parcel : parcels) {
    const index_t bytes = detail::bytes_of(parcel, element_size);
    messages.receive(parcel.rank, channel(), free, bytes);
    free += bytes;
  }
}

void Mail::finish() {
  for (Turn& turn : turns_) turn.messages.wait();
}

namespace detail {

index_t bytes_of(const Parcel& parcel, index_t element_size) {
  index_t bytes = 0;
  for (const LocalPiece& piece : parcel.pieces) {
    index_t piece_bytes = element_size;
    for (const int d : parcel.closest_first) piece_bytes *= extent(piece.box, d);
    bytes += piece_bytes;
  }
  return bytes;
}

std::byte* pack(std::byte* message, const std::byte* data, const LocalPiece& piece,
                std::span<const int> closest_first, index_t element_size) {
  const tessera::Strided shape = shape_of(piece, closest_first, element_size);
  tessera::detail::copy_strided(message, data, shape, tessera::detail::Direction::remote_to_local);
  return message + shape.bytes();
}

const std::byte* unpack(const std::byte* message, std::byte* data, const LocalPiece& piece,
                        std::span<const int> closest_first, index_t element_size) {
  const tessera::Strided shape = shape_of(piece, closest_first, element_size);
  tessera::detail::copy_strided(data, message, shape, tessera::detail::Direction::local_to_remote);
  return message + shape.bytes();
}

}  // namespace detail
}  // namespace tessera::fft
