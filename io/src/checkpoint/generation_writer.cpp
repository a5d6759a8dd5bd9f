// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/generation_writer.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <tessera/io/detail/commit_steps.hpp>
#include <tessera/runtime/detail/wait.hpp>
#include <tessera/runtime/runtime.hpp>

#include "base/checksum.hpp"
#include "base/date.hpp"
#include "checkpoint/generations.hpp"
#include "format.hpp"
#include "tiles/hdf5_raw.hpp"
#include "tiles/tile_transfer.hpp"
#include "tiles/tiled_file.hpp"

namespace tessera::io::detail {

void (*commit_step_hook)(const char* step) = nullptr;

namespace {

constexpr std::chrono::microseconds between_turns{200};

void passed(const char* step) {
  if (commit_step_hook != nullptr) commit_step_hook(step);
}

}  // namespace

template <class Work>
void GenerationWriter::or_discard(Work&& work) {
  output_.or_discard([&] {
    try {
      work();
    } catch (...) {
      background_.reset();  // its thread writes the file
      throw;
    }
  });
}

GenerationWriter::GenerationWriter(const Group& group, const std::filesystem::path& prefix,
                                   const std::vector<StoredItem>& items, std::int64_t step)
    : prefix_(prefix),
      output_(group, formatted("checkpoint of step {} to {}", step, prefix.string()),
              " (older generations are untouched)") {
  manifest_.step = step;
  or_discard([&] { create(items); });
}

void GenerationWriter::create(const std::vector<StoredItem>& items) {
  const Group& group = output_.group();
  manifest_.written = date_now();
  manifest_.library = version();
  for (const StoredItem& item : items) manifest_.entries.push_back(item.entry());
  manifest_.tiles = number_tiles(manifest_.entries);
  manifest_.tiles = output_.create(
      manifest_.entries, [&] { return choose_file(); },
      [&](const AtomicFile& made) {
        seal_.file_size = make_tiled_file(made, Seal::bytes, manifest_.entries.size() + 2,
                                          [&](const hdf5::File& file) { make_datasets(file); });
        check_places(seal_, manifest_);
      });
  manifest_.generation = group.broadcast(manifest_.generation, 0);
  mine_ = share(manifest_.entries, group.rank(), group.size());
  checksums_.resize(static_cast<std::size_t>(manifest_.tiles));
  output_.step([] { passed("created"); });
}

AtomicFile GenerationWriter::choose_file() {
  manifest_.generation = next_generation(prefix_);
  remove_leftovers(prefix_);
  return AtomicFile(generation_path(prefix_, manifest_.generation), Links::refuse);
}

void GenerationWriter::make_datasets(const hdf5::File& file) {
  hdf5::write_root_attribute(file, "tessera_version", manifest_.library);
  hdf5::write_root_attribute(file, "written", manifest_.written);
  hdf5::write_root_attribute(file, "step", manifest_.step);
  hdf5::write_root_attribute(file, "generation", manifest_.generation);
  for (Entry& entry : manifest_.entries) entry.offset = hdf5::offset(hdf5::create_placed(file, entry));
  const Entry sums{checksums_name, EntryKind::value, {ElementKind::int64, 8}, {manifest_.tiles}};
  manifest_.checksums_offset = hdf5::offset(hdf5::create_placed(file, sums));
  seal_.manifest_size = static_cast<index_t>(manifest_.text().size());
  const Entry text{manifest_name, EntryKind::text, {ElementKind::bytes, 1}, {seal_.manifest_size}};
  seal_.manifest_offset = hdf5::offset(hdf5::create_placed(file, text));
}

void GenerationWriter::write(const std::vector<StoredItem>& items) {
  const auto work = [&] {
    write_tiles(output_.group(), output_.context(), output_.descriptor(), manifest_.entries,
                items_of(manifest_.entries, items), [&](const Tile& tile, std::span<const std::byte> bytes) {
                  set_checksum(tile, checksum(bytes));
                });
    passed("written");
  };
  or_discard([&] { output_.step(work); });
}

void GenerationWriter::write_behind(const std::vector<StoredItem>& items, index_t bytes_per_second) {
  const auto work = [&] {
    const auto& entries = manifest_.entries;
    const auto sources = items_of(entries, items);
    std::vector<SharedPage> shared;
    if (output_.is_root()) shared = shared_pages(entries, output_.group().size());
    auto bytes = static_cast<std::size_t>(bytes_in(entries, mine_));
    for (const SharedPage& page : shared)
      bytes += static_cast<std::size_t>(page.elements.count * entries[page.entry].type.size);
    std::unique_ptr<std::byte[]> memory(new std::byte[bytes]);  // left uninitialised
    std::vector<Chunk> chunks;
    std::byte* at = memory.get();
    const auto copy = [&](std::size_t e, const Tile& tile, const ByteRange& range) {
      const Entry& entry = entries[e];
      const std::span<const std::byte> all(at, static_cast<std::size_t>(tile.count * entry.type.size));
      fetch(*sources[e], entry, tile, at);
      const auto part = part_within(range, entry, tile, all);
      chunks.push_back({all, part, entry.offset + tile.first * entry.type.size + (part.data() - all.data())});
      at += all.size();
    };
    for_each_tile(entries, mine_, [&](std::size_t e, const Tile& tile) {
      copy(e, tile, own_bytes(entries[e], mine_[e], output_.group().size()));
    });
    for (const SharedPage& page : shared) copy(page.entry, page.elements, page.bytes);
    background_ = std::make_unique<BackgroundWriter>(output_.descriptor(), std::move(memory), std::move(chunks),
                                                     bytes_per_second);
  };
  or_discard([&] { output_.step(work); });
}

void GenerationWriter::commit(int keep, const std::vector<std::filesystem::path>& damaged) {
  const Group& group = output_.group();
  or_discard([&] {
    if (background_) {
      // Serve requests of other processes until they come here, too.
      while (!background_->is_done()) {
        tessera::detail::wait_turn(group);
        std::this_thread::sleep_for(between_turns);
      }
      output_.step([&] {
        auto sum = background_->wait().begin();
        for_each_tile(manifest_.entries, mine_,
                      [&](std::size_t, const Tile& tile) { set_checksum(tile, *sum++); });
        passed("written");
      });
    }
    group.all_reduce(std::span<std::int64_t>(checksums_), Reduce::bit_or);
    const Group node = group.node();
    output_.step([&] {
      if (output_.is_root()) write_manifest();
      output_.flush(node);
      passed("flushed");
    });
    // Now all ranks agree that everything but the seal is on disk. Rank 0 does the rest.
    output_.step([&] {
      if (output_.is_root()) finish(keep, damaged);
    });
  });
}

void GenerationWriter::finish(int keep, const std::vector<std::filesystem::path>& damaged) {
  seal();
  passed("sealed");
  output_.rename();
  output_.set_consequence(" (the new generation is complete, but may not be on disk)");
  passed("renamed");
  output_.flush_directory();
  output_.set_consequence(" (the new generation is complete and on disk)");
  passed("listed");
  remove_older(prefix_, keep, damaged);
  passed("pruned");
}

void GenerationWriter::set_checksum(const Tile& tile, std::uint64_t value) {
  checksums_[static_cast<std::size_t>(tile.number)] = static_cast<std::int64_t>(value);
}

void GenerationWriter::write_manifest() {
  write_at(output_.descriptor(), std::as_bytes(std::span(checksums_)), manifest_.checksums_offset);
  const std::string text = manifest_.text();
  write_at(output_.descriptor(), std::as_bytes(std::span(text)), seal_.manifest_offset);
  seal_.manifest_checksum = checksum(text);
  passed("summed");
}

void GenerationWriter::seal() {
  seal_.frame_checksum = frame_checksum(output_.descriptor(), seal_.file_size, manifest_.entries);
  const std::string text = seal_.text();
  write_at(output_.descriptor(), std::as_bytes(std::span(text)), 0);
  flush_data(output_.descriptor());
}

}  // namespace tessera::io::detail
