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
#include "base/collectively.hpp"
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

// The message says what became of the generations, which depends on how far the failing rank got.
template <class Work>
void GenerationWriter::step(Work&& work) {
  collectively(group_, context_, [&] {
    try {
      work();
    } catch (const Hdf5Error& error) {
      throw Hdf5Error(error.what() + consequence_);
    } catch (const std::exception& error) {
      throw IoError(error.what() + consequence_);
    }
  });
}

template <class Work>
void GenerationWriter::or_discard(Work&& work) {
  try {
    work();
  } catch (...) {
    // Discard here as well as in the destructor, which does not run if nobody catches. It must happen before
    // any rank ends the job.
    background_.reset();
    file_.reset();
    if (atomic_file_) atomic_file_->discard();
    group_.barrier();
    throw;
  }
}

GenerationWriter::GenerationWriter(const Group& group, const std::filesystem::path& prefix,
                                   const std::vector<StoredItem>& items, std::int64_t step_number)
    : group_(group),
      prefix_(prefix),
      context_(formatted("checkpoint of step {} to {}", step_number, prefix.string())),
      consequence_(" (older generations are untouched)") {
  manifest_.step = step_number;
  or_discard([&] { create(items); });
}

GenerationWriter::~GenerationWriter() {
  background_.reset();
  if (atomic_file_) atomic_file_->discard();
}

void GenerationWriter::create(const std::vector<StoredItem>& items) {
  manifest_.written = date_now();
  manifest_.library = version();
  for (const StoredItem& item : items) manifest_.entries.push_back(item.entry());
  manifest_.tiles = number_tiles(manifest_.entries);
  step([&] {
    if (is_root()) return make_file();
    atomic_file_.emplace(prefix_, AtomicFile::Part::uses);
    atomic_file_->reserve(largest_size(manifest_.entries));  // checks this process's file size limit
  });
  atomic_file_->share_name(group_);
  manifest_.generation = group_.broadcast(manifest_.generation, 0);
  manifest_.tiles = share_places(group_, manifest_.entries);
  mine_ = share(manifest_.entries, group_.rank(), group_.size());
  checksums_.resize(static_cast<std::size_t>(manifest_.tiles));
  step([&] {
    file_ = open_shared(atomic_file_->temporary());
    passed("created");
  });
}

void GenerationWriter::make_file() {
  manifest_.generation = next_generation(prefix_);
  remove_leftovers(prefix_);
  atomic_file_.emplace(generation_path(prefix_, manifest_.generation), AtomicFile::Part::makes, Links::refuse);
  atomic_file_->begin();
  seal_.file_size = make_tiled_file(*atomic_file_, Seal::bytes, manifest_.entries.size() + 2,
                                    [&](const hdf5::File& file) { make_datasets(file); });
  check_places(seal_, manifest_);
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
    write_tiles(
        group_, context_, file_, manifest_.entries, items_of(manifest_.entries, items),
        [&](const Tile& tile, std::span<const std::byte> bytes) { set_checksum(tile, checksum(bytes)); });
    passed("written");
  };
  or_discard([&] { step(work); });
}

void GenerationWriter::write_behind(const std::vector<StoredItem>& items, index_t bytes_per_second) {
  const auto work = [&] {
    const auto& entries = manifest_.entries;
    const auto sources = items_of(entries, items);
    std::vector<SharedPage> shared;
    if (is_root()) shared = shared_pages(entries, group_.size());
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
      copy(e, tile, own_bytes(entries[e], mine_[e], group_.size()));
    });
    for (const SharedPage& page : shared) copy(page.entry, page.elements, page.bytes);
    background_ =
        std::make_unique<BackgroundWriter>(file_, std::move(memory), std::move(chunks), bytes_per_second);
  };
  or_discard([&] { step(work); });
}

void GenerationWriter::commit(int keep, const std::vector<std::filesystem::path>& damaged) {
  or_discard([&] {
    if (background_) {
      // Serve requests of other processes until they come here, too.
      while (!background_->is_done()) {
        tessera::detail::wait_turn(group_);
        std::this_thread::sleep_for(between_turns);
      }
      step([&] {
        auto sum = background_->wait().begin();
        for_each_tile(manifest_.entries, mine_,
                      [&](std::size_t, const Tile& tile) { set_checksum(tile, *sum++); });
        passed("written");
      });
    }
    group_.all_reduce(std::span<std::int64_t>(checksums_), Reduce::bit_or);
    const Group node = group_.node();
    step([&] {
      if (is_root()) write_manifest();
      if (node.rank() == 0) atomic_file_->flush();
      passed("flushed");
    });
    // Now all ranks agree that everything but the seal is on disk. Rank 0 does the rest.
    step([&] {
      if (is_root()) finish(keep, damaged);
    });
  });
}

void GenerationWriter::finish(int keep, const std::vector<std::filesystem::path>& damaged) {
  seal();
  passed("sealed");
  atomic_file_->commit();
  consequence_ = " (the new generation is complete, but may not be on disk)";
  passed("renamed");
  atomic_file_->flush_directory();
  consequence_ = " (the new generation is complete and on disk)";
  passed("listed");
  remove_older(prefix_, keep, damaged);
  passed("pruned");
}

void GenerationWriter::set_checksum(const Tile& tile, std::uint64_t value) {
  checksums_[static_cast<std::size_t>(tile.number)] = static_cast<std::int64_t>(value);
}

void GenerationWriter::write_manifest() {
  write_at(file_, std::as_bytes(std::span(checksums_)), manifest_.checksums_offset);
  const std::string text = manifest_.text();
  write_at(file_, std::as_bytes(std::span(text)), seal_.manifest_offset);
  seal_.manifest_checksum = checksum(text);
  passed("summed");
}

void GenerationWriter::seal() {
  seal_.frame_checksum = frame_checksum(file_, seal_.file_size, manifest_.entries);
  const std::string text = seal_.text();
  write_at(file_, std::as_bytes(std::span(text)), 0);
  flush_data(file_);
}

}  // namespace tessera::io::detail
