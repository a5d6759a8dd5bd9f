// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/io/error.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::io {

/// An array or value in a checkpoint's file.
struct CheckpointEntry {
  std::string name;
  /// As "float64", "text", or "bytes of size 24".
  std::string type;
  /// None for a single value.
  std::vector<index_t> extents;
  index_t bytes;
};

/// What is known of one generation of a checkpoint.
struct CheckpointInfo {
  std::filesystem::path file;
  /// What is wrong with it; empty if nothing was found. If the beginning of the file cannot be read, nothing
  /// else is known but the file.
  std::string problem;
  std::int64_t generation = 0, step = 0;
  /// When it was written: UTC, as "2026-01-31T12:00:00Z".
  std::string written;
  /// The version of Tessera that wrote it.
  std::string library;
  /// Of the whole file.
  index_t bytes = 0;
  std::vector<CheckpointEntry> entries;
};

/// The files of the generations of a checkpoint, newest first. @collective
/// @throws IoError on every rank if the directory cannot be read
std::vector<std::filesystem::path> checkpoint_files(const Group& group, const std::filesystem::path& prefix);

/// What a file says about itself; everything is compared with its checksum but the arrays' elements.
/// @collective
CheckpointInfo inspect_checkpoint(const Group& group, const std::filesystem::path& file);
/// The same, and all elements are read and compared with their checksums, each rank a part of them. @collective
CheckpointInfo verify_checkpoint(const Group& group, const std::filesystem::path& file);

}  // namespace tessera::io
