// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/tile_transfer.hpp"

#include <memory>

#include <tessera/runtime/detail/wait.hpp>

#include "base/progress.hpp"

namespace tessera::io::detail {
namespace {

// Memory that is reused from tile to tile.
class TileMemory {
 public:
  std::span<std::byte> room(std::size_t bytes) {
    if (size_ < bytes) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      size_ = bytes;
    }
    return {memory_.get(), bytes};
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

// Calls move(entry number, tile, its bytes, its offset in the file) for each tile of this rank.
template <class Move>
void for_each_tile_of_mine(const Group& group, const std::string& label, std::span<const Entry> entries,
                           Move&& move) {
  const auto mine = share(entries, group.rank(), group.size());
  Progress progress(group, label, bytes_in(entries, mine));
  for_each_tile(entries, mine, [&](std::size_t e, const Tile& tile) {
    const index_t element = entries[e].type.size, bytes = tile.count * element;
    move(e, tile, static_cast<std::size_t>(bytes), entries[e].offset + tile.first * element);
    progress.advance(bytes);
    tessera::detail::wait_turn(group);  // other ranks may need elements of this process
  });
}

}  // namespace

void write_tiles(const Group& group, const std::string& label, const Descriptor& file,
                 std::span<const Entry> entries, std::span<const StoredItem* const> items,
                 const std::function<void(const Tile&, std::span<const std::byte>)>& written) {
  TileMemory memory;
  const auto fetched = [&](std::size_t e, const Tile& tile, std::size_t size) {
    const auto copy = memory.room(size);
    fetch(*items[e], entries[e], tile, copy.data());
    return std::span<const std::byte>(copy);
  };
  const auto write = [&](std::size_t e, const Tile& tile, const ByteRange& range,
                         std::span<const std::byte> bytes) {
    const auto part = part_within(range, entries[e], tile, bytes);
    if (part.empty()) return;
    const index_t offset = entries[e].offset + tile.first * entries[e].type.size + (part.data() - bytes.data());
    write_at(file, part, offset);
    // Otherwise the disk would be idle until the last byte is in memory.
    begin_flush(file, offset, static_cast<index_t>(part.size()));
  };
  const auto mine = share(entries, group.rank(), group.size());
  for_each_tile_of_mine(group, label, entries, [&](std::size_t e, const Tile& tile, std::size_t size, index_t) {
    const std::byte* data = place_of(*items[e], entries[e], tile);
    const auto bytes = data == nullptr ? fetched(e, tile, size) : std::span(data, size);
    if (written) written(tile, bytes);
    write(e, tile, own_bytes(entries[e], mine[e], group.size()), bytes);
  });
  if (group.rank() != 0) return;
  for (const SharedPage& page : shared_pages(entries, group.size())) {
    const auto size = static_cast<std::size_t>(page.elements.count * entries[page.entry].type.size);
    write(page.entry, page.elements, page.bytes, fetched(page.entry, page.elements, size));
  }
}

void read_tiles(const Group& group, const std::string& label, const Descriptor& file,
                std::span<const Entry> entries, const TileSink& sink) {
  TileMemory memory;
  for_each_tile_of_mine(group, label, entries,
                        [&](std::size_t e, const Tile& tile, std::size_t size, index_t offset) {
                          std::byte* place = sink.place(e, tile);
                          const auto bytes = place != nullptr ? std::span(place, size) : memory.room(size);
                          read_at(file, bytes, offset);
                          if (sink.check) sink.check(e, tile, bytes);
                          if (place == nullptr) sink.take(e, tile, bytes);
                        });
}

}  // namespace tessera::io::detail
