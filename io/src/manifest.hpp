// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "tiles.hpp"

// What a checkpoint's file says about itself, in three parts: the seal, 4096 bytes before HDF5's own; the
// manifest, a dataset of text; the checksums of the tiles, a dataset of numbers. The seal has a checksum of
// itself, of the manifest, and of everything that is no array's or value's data; so each bit of the file is
// under some checksum. All @local.
namespace tessera::io::detail {

inline constexpr const char* manifest_name = "tessera_manifest";
inline constexpr const char* checksums_name = "tessera_checksums";

struct Manifest {
  std::int64_t generation = 0, step = 0;
  std::string written;  // date and time, UTC
  std::string library;
  std::vector<Entry> entries;
  index_t tiles = 0;
  index_t checksums_offset = 0;

  /// The same number of bytes whatever the offsets are.
  std::string text() const;
};
/// @throws IoError if it is not one, or of another byte order.
Manifest parse_manifest(const std::string& text);

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

/// The checksum of all bytes after the seal that are no data of arrays or values.
std::uint64_t frame_checksum(const Descriptor& file, index_t file_size, const std::vector<Entry>& entries);

/// Whether a file begins as checkpoints do, damaged or not. False for one that cannot be read.
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

/// "array "density"", "value "time"", for messages.
std::string describe(const Entry& entry);

}  // namespace tessera::io::detail
