// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/array_core.hpp>

// A file's data as tiles: equal runs of an array's elements in row-major order, whatever its layout and the
// number of ranks. Each tile has one rank to write or read it, and in a checkpoint a checksum. All @local.
namespace tessera::io::detail {

/// What a dataset's elements are: those of an array, or a value that every rank has.
enum class EntryKind : std::uint8_t { array, value, text };

/// One dataset of a file.
struct Entry {
  std::string name;
  EntryKind kind = EntryKind::array;
  tessera::detail::ElementType type{};
  std::vector<index_t> extents;  // of a value: none, or one
  index_t offset = 0;            // of its first byte in the file
  index_t first_tile = 0;        // numbers go on from entry to entry
  index_t tile_bytes = 1 << 20;  // about; fits a core's cache between fetching and writing

  /// Smaller tiles where there would be fewer than ranks: not in checkpoints, which keep checksums of tiles.
  void divide(int ranks) noexcept;
  index_t size() const noexcept;  // elements
  index_t bytes() const noexcept { return size() * type.size; }
  /// So many that a tile is whole pages: two nodes never write to one page.
  index_t tile_elements() const noexcept;
  index_t tile_count() const noexcept;
  /// Whether rank 0 moves all of it: values, and arrays of less than a page.
  bool is_light() const noexcept;
};

inline constexpr index_t page_bytes = 4096;
/// The largest element of a checkpoint: a reader has one tile in memory, and a tile has one element at least.
inline constexpr index_t most_element_bytes = index_t{1} << 26;

/// Puts light entries first and numbers the tiles. Returns how many there are.
index_t number_tiles(std::vector<Entry>& entries);

struct TileRange {
  index_t begin = 0, end = 0;
};
/// The tiles of each entry that one of `ranks` processes moves: of large ones an equal part, the same part of
/// each, which is its own for blocks of rows; of those with fewer tiles than ranks about as many bytes as the
/// others; of light ones all is for rank 0.
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
/// What a rank writes of its tiles: pages that are all of them its own. Others it has in common with another
/// rank, or with what HDF5 has put behind the data: shared_pages().
ByteRange own_bytes(const Entry& entry, const TileRange& range, int ranks);
struct SharedPage {
  std::size_t entry = 0;
  ByteRange bytes;
  /// The elements that have bytes in it.
  Tile elements;
};
/// The pages of all entries that rank 0 writes for all of `ranks`, as it writes what HDF5 says: so no page has
/// two nodes that write to it, of which one might write its own old bytes over the other's new ones.
std::vector<SharedPage> shared_pages(std::span<const Entry> entries, int ranks);

/// How many bytes those have.
index_t bytes_in(std::span<const Entry> entries, std::span<const TileRange> ranges);

}  // namespace tessera::io::detail
