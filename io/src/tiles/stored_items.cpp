// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/stored_items.hpp"

#include <cstring>
#include <map>
#include <vector>

#include <tessera/core/operand_walk.hpp>

namespace tessera::io::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Buffer;
using tessera::detail::Coordinates;
using tessera::detail::for_each_box_of_range;
using tessera::detail::LocalPiece;

// Calls move(box, buffer) for the parts of a tile.
template <class Pointer, class Bytes, class Move>
void for_each_box(const Entry& entry, const Tile& tile, Bytes* memory, Move&& move) {
  for_each_box_of_range(
      entry.extents, tile.first, tile.first + tile.count, [&](const Box& box, index_t before) {
        Coordinates extents{}, strides{};
        index_t count = 1;
        for (std::size_t d = entry.extents.size(); d-- > 0;) {
          strides[d] = count;
          extents[d] = box.hi[d] - box.lo[d];
          count *= extents[d];
        }
        move(box, Buffer<Pointer>{memory + before * entry.type.size, extents.data(), strides.data()});
      });
}

// Whether a piece is all of a box, with its elements contiguous in the order of the box.
bool is_run(const LocalPiece& piece, const Box& box, std::size_t rank) {
  index_t count = 1;
  for (std::size_t d = rank; d-- > 0;) {
    if (piece.box.lo[d] != box.lo[d] || piece.box.hi[d] != box.hi[d]) return false;
    const index_t extent = box.hi[d] - box.lo[d];
    if (extent > 1 && piece.strides[d] != count) return false;
    count *= extent;
  }
  return piece.data != nullptr;
}

}  // namespace

std::byte* place_of(const StoredItem& item, const Entry& entry, const Tile& tile) {
  if (item.value) return nullptr;
  const auto slice = item.elements();
  std::byte* place = nullptr;
  index_t bytes = 0;
  for_each_box_of_range(entry.extents, tile.first, tile.first + tile.count, [&](const Box& box, index_t) {
    slice.for_each_piece(box, [&](int, const LocalPiece& piece) {
      if (!is_run(piece, box, entry.extents.size()) || (place != nullptr && piece.data != place + bytes))
        return;
      if (place == nullptr) place = piece.data;
      index_t count = entry.type.size;
      for (std::size_t d = 0; d < entry.extents.size(); ++d) count *= box.hi[d] - box.lo[d];
      bytes += count;
    });
  });
  return bytes == tile.count * entry.type.size ? place : nullptr;
}

Entry StoredItem::entry() const {
  Entry entry;
  entry.name = name;
  if (value) {
    entry.kind = value->shape == StoredValue::Shape::text ? EntryKind::text : EntryKind::value;
    entry.type = value->type;
    if (value->shape != StoredValue::Shape::single)
      entry.extents = {static_cast<index_t>(value->bytes().size()) / value->type.size};
    return entry;
  }
  const auto slice = elements();
  entry.type = slice.type();
  entry.extents.assign(slice.extents().begin(), slice.extents().begin() + slice.rank());
  return entry;
}

void fetch(const StoredItem& item, const Entry& entry, const Tile& tile, std::byte* into) {
  if (item.value) {
    const auto part = item.value->bytes().subspan(static_cast<std::size_t>(tile.first * entry.type.size),
                                                  static_cast<std::size_t>(tile.count * entry.type.size));
    std::memcpy(into, part.data(), part.size());
    return;
  }
  const auto slice = item.elements();
  for_each_box<void*>(entry, tile, into, [&](const Box& box, const auto& buffer) { slice.get(box, buffer); });
}

void store(const StoredItem& item, const Entry& entry, const Tile& tile, const std::byte* from) {
  const auto slice = item.elements();
  for_each_box<const void*>(entry, tile, from,
                            [&](const Box& box, const auto& buffer) { slice.put(box, buffer); });
}

std::vector<const StoredItem*> items_of(const std::vector<Entry>& entries,
                                        const std::vector<StoredItem>& items) {
  std::map<std::string_view, const StoredItem*> by_name;
  for (const StoredItem& item : items) by_name.emplace(item.name, &item);
  std::vector<const StoredItem*> found;
  for (const Entry& entry : entries) {
    const auto at = by_name.find(entry.name);
    found.push_back(at == by_name.end() ? nullptr : at->second);
  }
  return found;
}

void settle(const Group& group, const std::vector<StoredItem>& items) {
  std::vector<tessera::detail::SliceCore> arrays;
  for (const StoredItem& item : items) {
    if (!item.value) arrays.push_back(item.elements());
  }
  tessera::detail::settle(group, arrays);
}

}  // namespace tessera::io::detail
