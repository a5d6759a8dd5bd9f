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
  const auto rank = static_cast<std::ptrdiff_t>(parcel.order.closest_first.size());
  std::sort(parcel.pieces.begin(), parcel.pieces.end(), [rank](const LocalPiece& a, const LocalPiece& b) {
    return std::lexicographical_compare(a.box.lo.begin(), a.box.lo.begin() + rank, b.box.lo.begin(),
                                        b.box.lo.begin() + rank);
  });
}

// Messages count as the local side.
Strided shape_of(const LocalPiece& piece, const ElementOrder& order) {
  auto shape = Strided::contiguous(order.element_size);
  const DenseChunk dense = order.dense(piece.box);
  for (const int d : order.closest_first) {
    const std::size_t level = at(shape.levels++);
    shape.count[level] = extent(piece.box, d);
    shape.local_stride[level] = dense.strides[at(d)] * order.element_size;
    shape.remote_stride[level] = piece.strides[at(d)] * order.element_size;
  }
  return shape;
}

// Whether the elements of a piece are in a chunk's buffer as in a message: rows are whole in all dimensions but
// the farthest. Distances alone do not show it, because a message of shorter rows may have as much room behind
// each.
bool lies_as_message(const LocalPiece& piece, const Box& chunk, const ElementOrder& order) {
  const DenseChunk dense = order.dense(piece.box);
  bool is_whole = true;
  return std::all_of(order.closest_first.begin(), order.closest_first.end(), [&](int d) {
    const index_t length = extent(piece.box, d);
    const bool is_alike = length == 1 || (is_whole && dense.strides[at(d)] == piece.strides[at(d)]);
    is_whole = is_whole && length == extent(chunk, d);
    return is_alike;
  });
}

}  // namespace

index_t Parcel::bytes() const {
  index_t elements = 0;
  for (const LocalPiece& piece : pieces) elements += order.dense(piece.box).size;
  return elements * order.element_size;
}

std::vector<Parcel> parcels_of(const SliceCore& slice, const Box& chunk, const ElementOrder& order,
                               const Coordinates& strides) {
  const Group& group = slice.array().group();
  std::map<int, Parcel> parcels;
  slice.for_each_piece(chunk, [&](int rank, const LocalPiece& piece) {
    if (!group.on_node(rank)) parcels[rank].pieces.push_back({piece.box, nullptr, strides});
  });
  std::vector<Parcel> all;
  for (auto& [rank, parcel] : parcels) {
    parcel.rank = rank;
    parcel.order = order;
    put_in_order(parcel);
    parcel.is_in_buffer = parcel.pieces.size() == 1 && lies_as_message(parcel.pieces.front(), chunk, order);
    all.push_back(std::move(parcel));
  }
  return all;
}

Parcel parcel_with(int rank, std::span<const LocalPiece> pieces, const Box& chunk, const ElementOrder& order) {
  Parcel parcel{rank, {}, order};
  for (const LocalPiece& piece : pieces) {
    LocalPiece part = piece;
    bool is_empty = false;
    for (const int d : order.closest_first) {
      part.box.lo[at(d)] = std::max(piece.box.lo[at(d)], chunk.lo[at(d)]);
      part.box.hi[at(d)] = std::min(piece.box.hi[at(d)], chunk.hi[at(d)]);
      part.data += (part.box.lo[at(d)] - piece.box.lo[at(d)]) * piece.strides[at(d)] * order.element_size;
      is_empty = is_empty || extent(part.box, d) <= 0;
    }
    if (!is_empty) parcel.pieces.push_back(part);
  }
  put_in_order(parcel);
  return parcel;
}

void Mail::reserve(std::size_t chunk, std::span<const Parcel> parcels) {
  index_t bytes = 0;
  for (const Parcel& parcel : parcels) bytes += parcel.is_in_buffer ? 0 : parcel.bytes();
  turn(chunk).memory.reserve(static_cast<std::size_t>(bytes));
}

void Mail::finish() {
  for (Turn& turn : turns_) turn.messages.wait();
}

namespace detail {

std::byte* pack(std::byte* message, const std::byte* data, const LocalPiece& piece, const ElementOrder& order) {
  tessera::detail::copy_strided(message, data, shape_of(piece, order),
                                tessera::detail::Direction::remote_to_local);
  return message + order.dense(piece.box).size * order.element_size;
}

const std::byte* unpack(const std::byte* message, std::byte* data, const LocalPiece& piece,
                        const ElementOrder& order) {
  tessera::detail::copy_strided(data, message, shape_of(piece, order),
                                tessera::detail::Direction::local_to_remote);
  return message + order.dense(piece.box).size * order.element_size;
}

}  // namespace detail
}  // namespace tessera::fft
