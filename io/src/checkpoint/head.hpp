// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/manifest.hpp"
#include "posix/descriptor.hpp"

// The head of a checkpoint's file, which is read before its data. The seal is 4096 bytes before HDF5's own
// part. It has checksums of itself, of the manifest, and of everything that is not data of arrays or values. A
// forged file may have correct checksums, so no number is believed before it fits the file. All @local.
namespace tessera::io::detail {

/// Written last: a file without it is no checkpoint.
struct Seal {
  static constexpr index_t bytes = page_bytes;
  index_t file_size = 0;
  index_t manifest_offset = 0, manifest_size = 0;
  std::uint64_t manifest_checksum = 0;
  std::uint64_t frame_checksum = 0;

  /// All bytes of the seal.
  std::string text() const;
};

/// Checks that everything the seal and the manifest name has its own place in the file, and that little else is
/// in it. Writers call it, too, so that they write nothing that could not be read. @throws IoError
void check_places(const Seal& seal, const Manifest& manifest);

/// The checksum of all bytes after the seal that are no data of arrays or values.
std::uint64_t frame_checksum(const Descriptor& file, index_t file_size, const std::vector<Entry>& entries);

/// Whether a file begins as checkpoints do, damaged or not. False for links and for files that cannot be read.
bool has_seal(const std::filesystem::path& path);

/// The head of a file, checked.
struct Head {
  Manifest manifest;
  std::string text;  // of the manifest
  std::vector<std::uint64_t> checksums;
  index_t file_size = 0;
};
/// @throws IoError that says which part is missing or damaged.
Head read_head(const std::filesystem::path& path);

}  // namespace tessera::io::detail
