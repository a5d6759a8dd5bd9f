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

// Tiles between the arrays and their places in a file, without HDF5 and MPI-IO. Each rank moves its share();
// `label` is what people see who wait. Failures throw IoError on the rank that has them: callers agree.
namespace tessera::io::detail {

/// Gets this rank's tiles from the items of the entries and writes them; `written` has the bytes of each.
/// @onesided
void write_tiles(const Group& group, const std::string& label, const Descriptor& file,
                 std::span<const Entry> entries, std::span<const StoredItem* const> items,
                 const std::function<void(const Tile&, std::span<const std::byte>)>& written);

/// The part of a tile's bytes that is within a range of its entry's. @local
template <class Byte>
std::span<Byte> part_within(const ByteRange& range, const Entry& entry, const Tile& tile,
                            std::span<Byte> bytes) {
  const index_t first = tile.first * entry.type.size, end = first + static_cast<index_t>(bytes.size());
  const index_t begin = std::clamp(range.begin, first, end);
  return bytes.subspan(static_cast<std::size_t>(begin - first),
                       static_cast<std::size_t>(std::clamp(range.end, begin, end) - begin));
}

/// Where tiles go, by the number of their entry.
struct TileSink {
  /// Where the bytes of one are to be read to; null: anywhere.
  std::function<std::byte*(std::size_t, const Tile&)> place;
  /// Looks at one that was read, and throws if it is not what it should be; may be empty.
  std::function<void(std::size_t, const Tile&, std::span<const std::byte>)> check;
  /// Takes one that was read anywhere.
  std::function<void(std::size_t, const Tile&, std::span<const std::byte>)> take;
};
/// Reads this rank's tiles. @onesided
void read_tiles(const Group& group, const std::string& label, const Descriptor& file,
                std::span<const Entry> entries, const TileSink& sink);

}  // namespace tessera::io::detail
