// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "checkpoint/head.hpp"
#include "tiles/tile_transfer.hpp"

namespace tessera::io::detail {

/// Rank 0's text on every rank. @collective
std::string broadcast_text(const Group& group, std::string text);
/// The files of all generations, newest first, as rank 0 sees them. @collective @throws IoError on every rank
std::vector<std::filesystem::path> files_of_generations(const Group& group,
                                                        const std::filesystem::path& prefix);

/// Reads one generation of a checkpoint. Rank 0 reads its head, and each rank its share of the tiles.
class GenerationReader {
 public:
  /// @collective
  GenerationReader(const Group& group, std::filesystem::path file);
  /// Why it cannot be used, the same on every rank; empty if nothing is known to be wrong. @local
  const std::string& problem() const noexcept { return problem_; }
  const std::filesystem::path& file() const noexcept { return file_; }
  /// @local
  const Head& head() const noexcept { return head_; }
  const std::vector<Entry>& entries() const noexcept { return head_.manifest.entries; }

  /// Reads all data, each rank a share. Afterwards problem() tells whether a tile did not match its checksum.
  /// @collective
  void read(TileSink sink);

 private:
  void check_tile(std::size_t e, const Tile& tile, std::span<const std::byte> bytes) const;

  Group group_;
  std::filesystem::path file_;
  Head head_;
  std::string problem_;
};

}  // namespace tessera::io::detail
