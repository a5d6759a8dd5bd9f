// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <span>
#include <string>

#include <tessera/runtime/group.hpp>

#include "posix/descriptor.hpp"
#include "tiles/stored_items.hpp"
#include "tiles/tiles.hpp"

// Moves tiles between arrays and their places in a file, without HDF5 and MPI-IO. Each rank moves its share().
// The progress display shows `label`. A failure throws IoError only on its own rank; callers must agree on it.
namespace tessera::io::detail {

/// Gets this rank's tiles from the items of the entries and writes them. Calls `written` with the bytes of each
/// tile.
/// @onesided
void write_tiles(const Group& group, const std::string& label, const Descriptor& file,
                 std::span<const Entry> entries, std::span<const StoredItem* const> items,
                 const std::function<void(const Tile&, std::span<const std::byte>)>& written);

/// The part of a tile's bytes that lies within a byte range of its entry. @local
template <class Byte>
std::span<Byte> part_within(const ByteRange& range, const Entry& entry, const Tile& tile,
                            std::span<Byte> bytes) {
  const index_t first = tile.first * entry.type.size, end = first + static_cast<index_t>(bytes.size());
  const index_t begin = std::clamp(range.begin, first, end);
  return bytes.subspan(static_cast<std::size_t>(begin - first),
                       static_cast<std::size_t>(std::clamp(range.end, begin, end) - begin));
}

/// What to do with tiles that are read. Each function gets the number of the tile's entry.
struct TileSink {
  /// Where to read a tile to. Null for memory of the reader, from which take() gets the bytes.
  std::function<std::byte*(std::size_t, const Tile&)> place;
  /// Checks a tile that was read, and throws if it is wrong; may be empty.
  std::function<void(std::size_t, const Tile&, std::span<const std::byte>)> check;
  /// Takes a tile for which place() returned null.
  std::function<void(std::size_t, const Tile&, std::span<const std::byte>)> take;
};
/// Reads this rank's tiles. @onesided
void read_tiles(const Group& group, const std::string& label, const Descriptor& file,
                std::span<const Entry> entries, const TileSink& sink);

}  // namespace tessera::io::detail
