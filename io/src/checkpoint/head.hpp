// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/manifest.hpp"
#include "posix/descriptor.hpp"

// What stands in a checkpoint's file before its data: the seal, 4096 bytes before HDF5's own, which has a
// checksum of itself, of the manifest, and of everything that is no array's or value's data. A writer of a
// false file on purpose may give it right checksums: no number is believed before it fits the file. All @local.
namespace tessera::io::detail {

/// Written last: a file without it is no checkpoint.
struct Seal {
  static constexpr index_t bytes = page_bytes;
  index_t file_size = 0;
  index_t manifest_offset = 0, manifest_size = 0;
  std::uint64_t manifest_checksum = 0;
  std::uint64_t frame_checksum = 0;

  /// All of its bytes.
  std::string text() const;
};

/// Everything that the seal and the manifest name has a place of its own in the file, and little else is in it.
/// Asked of what is written, too: nothing is written that could not be read. @throws IoError
void check_places(const Seal& seal, const Manifest& manifest);

/// The checksum of all bytes after the seal that are no data of arrays or values.
std::uint64_t frame_checksum(const Descriptor& file, index_t file_size, const std::vector<Entry>& entries);

/// Whether a file begins as checkpoints do, damaged or not. False for one that cannot be read, and for links.
bool has_seal(const std::filesystem::path& path);

/// What stands in a file before its data, checked.
struct Head {
  Manifest manifest;
  std::string text;  // of the manifest
  std::vector<std::uint64_t> checksums;
  index_t file_size = 0;
};
/// @throws IoError that says which part is missing or damaged.
Head read_head(const std::filesystem::path& path);

}  // namespace tessera::io::detail
