// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "checkpoint/head.hpp"
#include "hdf5/hdf5.hpp"
#include "posix/atomic_file.hpp"
#include "posix/background_writer.hpp"
#include "tiles/stored_items.hpp"

namespace tessera::io::detail {

/// One generation of a checkpoint on its way to the disk: its file is created, written tile by tile, and
/// committed.
class GenerationWriter {
 public:
  /// The file, with a place for everything. @collective @throws IoError on every rank; nothing is then left
  GenerationWriter(const Group& group, const std::filesystem::path& prefix,
                   const std::vector<StoredItem>& items, std::int64_t step);
  /// Removes the file if it was not committed. @local
  ~GenerationWriter();
  GenerationWriter(const GenerationWriter&) = delete;
  GenerationWriter& operator=(const GenerationWriter&) = delete;

  /// Writes everything, each rank its tiles. @collective @throws IoError on every rank, as the following
  void write(const std::vector<StoredItem>& items);
  /// Copies everything, and leaves it to a thread on each rank to write that. @collective
  void write_behind(const std::vector<StoredItem>& items, index_t bytes_per_second);
  /// Whether this rank's thread is done. @local
  bool is_written() const noexcept { return !background_ || background_->is_done(); }
  /// When all is written: flushes, seals and renames the file, and removes generations older than the newest
  /// `keep`, not counting damaged ones. @collective
  void commit(int keep, const std::vector<std::filesystem::path>& damaged);

 private:
  template <class Work>
  void step(Work&& work);
  template <class Work>
  void or_discard(Work&& work);
  bool is_root() const { return group_.rank() == 0; }
  void create(const std::vector<StoredItem>& items);
  void make_file();
  void make_datasets(const hdf5::File& file);
  void write_manifest();
  void seal();
  void set_checksum(const Tile& tile, std::uint64_t value);
  void finish(int keep, const std::vector<std::filesystem::path>& damaged);

  Group group_;
  std::filesystem::path prefix_;
  std::string context_, consequence_;
  Manifest manifest_;
  Seal seal_;
  std::optional<AtomicFile> replacement_;
  Descriptor file_;
  std::vector<TileRange> mine_;
  std::vector<std::int64_t> checksums_;  // of all tiles; 0 where they are not known here
  std::unique_ptr<BackgroundWriter> background_;
};

}  // namespace tessera::io::detail
