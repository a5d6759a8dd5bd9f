// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/array_core.hpp>

// A file's data is divided into tiles: equal runs of an array's elements in row-major order. They depend
// neither on its layout nor, in checkpoints, on the number of ranks. One rank writes or reads each tile. In a
// checkpoint each tile has a checksum. All @local.
namespace tessera::io::detail {

/// What a dataset's elements are: those of an array, or a value that every rank has.
enum class EntryKind : std::uint8_t { array, value, text };

/// One dataset of a file.
struct Entry {
  std::string name;
  EntryKind kind = EntryKind::array;
  tessera::detail::ElementType type{};
  std::vector<index_t> extents;  // none or one for a value
  index_t offset = 0;            // of its first byte in the file
  index_t first_tile = 0;        // tiles are numbered across entries
  index_t tile_bytes = 1 << 20;  // approximate; a tile stays in a core's cache between fetching and writing

  /// Makes tiles smaller if there would be fewer than ranks. Not for checkpoints, which keep checksums of
  /// tiles.
  void divide(int ranks) noexcept;
  index_t size() const noexcept;  // elements
  index_t bytes() const noexcept { return size() * type.size; }
  /// The elements of a tile. A tile fills whole pages, so that two nodes never write to the same page.
  index_t tile_elements() const noexcept;
  index_t tile_count() const noexcept;
  /// Whether rank 0 moves all of it: values, and arrays of less than a page.
  bool is_light() const noexcept;
};

inline constexpr index_t page_bytes = 4096;
/// The largest element of a checkpoint. A reader holds one tile in memory, and a tile has at least one element.
inline constexpr index_t max_element_bytes = index_t{1} << 26;

/// Puts light entries first and numbers the tiles. Returns the number of tiles.
index_t number_tiles(std::vector<Entry>& entries);

struct TileRange {
  index_t begin = 0, end = 0;
};
/// The tiles of each entry that one of `ranks` processes moves. Of a large entry each rank moves an equal part,
/// the same part of each; for blocks of rows it is the rank's own. Entries with fewer tiles than ranks are
/// shared so that each rank moves about the same number of bytes. Rank 0 moves all light entries.
std::vector<TileRange> share(std::span<const Entry> entries, int rank, int ranks);

struct Tile {
  index_t number = 0;
  index_t first = 0, count = 0;  // of its elements
};

/// Calls f(number of the entry, Tile) for each tile of a share.
template <class F>
void for_each_tile(std::span<const Entry> entries, std::span<const TileRange> ranges, F&& f) {
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = entries[e];
    for (index_t number = ranges[e].begin; number < ranges[e].end; ++number) {
      const index_t first = (number - entry.first_tile) * entry.tile_elements();
      f(e, Tile{number, first, std::min(entry.tile_elements(), entry.size() - first)});
    }
  }
}
/// Some bytes of an entry's data.
struct ByteRange {
  index_t begin = 0, end = 0;
};
/// The bytes that a rank writes of its tiles: the pages that are all its own. Pages that it shares with another
/// rank, or with what HDF5 has put behind the data, are in shared_pages().
ByteRange own_bytes(const Entry& entry, const TileRange& range, int ranks);
struct SharedPage {
  std::size_t entry = 0;
  ByteRange bytes;
  /// The elements that have bytes in it.
  Tile elements;
};
/// The pages of all entries that rank 0 writes for all ranks; it also writes HDF5's part. So no two nodes write
/// to the same page. Otherwise one of them might overwrite the other's new bytes with its own old ones.
std::vector<SharedPage> shared_pages(std::span<const Entry> entries, int ranks);

/// The number of bytes in these ranges.
index_t bytes_in(std::span<const Entry> entries, std::span<const TileRange> ranges);

}  // namespace tessera::io::detail
