// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/tiles.hpp"

#include <numeric>

namespace tessera::io::detail {
namespace {

constexpr index_t max_tile_bytes = max_element_bytes;  // for elements of odd sizes

ByteRange bytes_of(const Entry& entry, const TileRange& range) {
  const index_t tile = entry.tile_elements() * entry.type.size;
  return {(range.begin - entry.first_tile) * tile,
          std::min((range.end - entry.first_tile) * tile, entry.bytes())};
}

}  // namespace

index_t Entry::size() const noexcept {
  return std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
}

void Entry::divide(int ranks) noexcept { tile_bytes = std::clamp(bytes() / ranks, page_bytes, tile_bytes); }

index_t Entry::tile_elements() const noexcept {
  const index_t unit = page_bytes / std::gcd(page_bytes, type.size);  // this many elements fill whole pages
  if (unit * type.size > max_tile_bytes) return std::max<index_t>(1, tile_bytes / type.size);
  return std::max<index_t>(1, tile_bytes / (unit * type.size)) * unit;
}

index_t Entry::tile_count() const noexcept {
  const index_t elements = size(), each = tile_elements();
  return elements / each + static_cast<index_t>(elements % each != 0);
}

bool Entry::is_light() const noexcept { return kind != EntryKind::array || bytes() < page_bytes; }

index_t number_tiles(std::vector<Entry>& entries) {
  std::stable_partition(entries.begin(), entries.end(), [](const Entry& entry) { return entry.is_light(); });
  index_t tiles = 0;
  for (Entry& entry : entries) {
    entry.first_tile = tiles;
    tiles += entry.tile_count();
  }
  return tiles;
}

std::vector<TileRange> share(std::span<const Entry> entries, int rank, int ranks) {
  const auto is_small = [&](const Entry& entry) { return entry.tile_count() < ranks; };
  index_t small_bytes = 0;  // of entries that are laid end to end and cut into equal parts
  for (const Entry& entry : entries) small_bytes += entry.is_light() || !is_small(entry) ? 0 : entry.bytes();
  std::vector<TileRange> ranges;
  index_t passed = 0, large = 0;
  const auto first_of_small = [&](const Entry& entry, int r) {
    const index_t at = small_bytes / ranks * r + small_bytes % ranks * r / ranks;  // bytes * r would overflow
    const index_t tile = entry.tile_elements() * entry.type.size;
    return std::min((std::max<index_t>(at - passed, 0) + tile - 1) / tile, entry.tile_count());
  };
  // The remainder of the division goes to another rank each time.
  const auto first_of_large = [&](const Entry& entry, int r) {
    return (entry.tile_count() * r + large % ranks) / ranks;
  };
  for (const Entry& entry : entries) {
    TileRange range{0, rank == 0 ? entry.tile_count() : 0};
    if (!entry.is_light() && is_small(entry)) {
      range = {first_of_small(entry, rank), first_of_small(entry, rank + 1)};
      passed += entry.bytes();
    } else if (!entry.is_light()) {
      range = {first_of_large(entry, rank), first_of_large(entry, rank + 1)};
      ++large;
    }
    ranges.push_back({entry.first_tile + range.begin, entry.first_tile + range.end});
  }
  return ranges;
}

ByteRange own_bytes(const Entry& entry, const TileRange& range, int ranks) {
  const ByteRange all = bytes_of(entry, range);
  if (ranks == 1 || entry.is_light()) return all;
  return {(all.begin + page_bytes - 1) / page_bytes * page_bytes, all.end / page_bytes * page_bytes};
}

std::vector<SharedPage> shared_pages(std::span<const Entry> entries, int ranks) {
  std::vector<SharedPage> pages;
  for (int rank = 0; ranks > 1 && rank < ranks; ++rank) {
    const auto ranges = share(entries, rank, ranks);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const Entry& entry = entries[e];
      const index_t end = bytes_of(entry, ranges[e]).end, size = entry.type.size;
      if (entry.is_light() || ranges[e].begin == ranges[e].end || end % page_bytes == 0) continue;
      const index_t begin = end - end % page_bytes;
      const ByteRange bytes{begin, std::min(begin + page_bytes, entry.bytes())};
      const index_t first = begin / size, last = (bytes.end - 1) / size;
      pages.push_back({e, bytes, {0, first, last - first + 1}});
    }
  }
  return pages;
}

index_t bytes_in(std::span<const Entry> entries, std::span<const TileRange> ranges) {
  index_t bytes = 0;
  for_each_tile(entries, ranges,
                [&](std::size_t e, const Tile& tile) { bytes += tile.count * entries[e].type.size; });
  return bytes;
}

}  // namespace tessera::io::detail
