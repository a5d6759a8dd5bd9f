// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "checkpoint/head.hpp"
#include "hdf5/hdf5.hpp"
#include "posix/background_writer.hpp"
#include "tiles/shared_output.hpp"
#include "tiles/stored_items.hpp"

namespace tessera::io::detail {

/// Writes one generation of a checkpoint: creates its file, writes it tile by tile, and commits it. The
/// destructor removes a file that was not committed.
class GenerationWriter {
 public:
  /// Creates the file with space for everything. @collective @throws IoError on every rank; no file is then
  /// left
  GenerationWriter(const Group& group, const std::filesystem::path& prefix,
                   const std::vector<StoredItem>& items, std::int64_t step);
  /// Writes everything, each rank its tiles. @collective @throws IoError on every rank, as do the next
  /// functions
  void write(const std::vector<StoredItem>& items);
  /// Copies everything; a thread on each rank then writes the copy. @collective
  void write_behind(const std::vector<StoredItem>& items, index_t bytes_per_second);
  /// Whether this rank's thread is done. @local
  bool is_written() const noexcept { return !background_ || background_->is_done(); }
  /// Waits until everything is written. Flushes, seals and renames the file. Then removes generations older
  /// than the newest `keep`, not counting damaged ones. @collective
  void commit(int keep, const std::vector<std::filesystem::path>& damaged);

 private:
  template <class Work>
  void or_discard(Work&& work);
  void create(const std::vector<StoredItem>& items);
  AtomicFile choose_file();
  void make_datasets(const hdf5::File& file);
  void write_manifest();
  void seal();
  void set_checksum(const Tile& tile, std::uint64_t value);
  void finish(int keep, const std::vector<std::filesystem::path>& damaged);

  std::filesystem::path prefix_;
  SharedOutput output_;
  Manifest manifest_;
  Seal seal_;
  std::vector<TileRange> mine_;
  std::vector<std::int64_t> checksums_;  // of all tiles; 0 for tiles of other ranks
  std::unique_ptr<BackgroundWriter> background_;
};

}  // namespace tessera::io::detail
