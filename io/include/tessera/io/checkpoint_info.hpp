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
  /// For example "float64", "text", or "bytes of size 24".
  std::string type;
  /// Empty for a single value.
  std::vector<index_t> extents;
  index_t bytes;
};

/// What is known of one generation of a checkpoint.
struct CheckpointInfo {
  std::filesystem::path file;
  /// What is wrong with the file; empty if nothing was found. If the beginning of the file cannot be read, only
  /// `file` and `problem` are set.
  std::string problem;
  std::int64_t generation = 0, step = 0;
  /// When it was written: UTC, as "2026-01-31T12:00:00Z".
  std::string written;
  /// The version of Tessera that wrote it.
  std::string library;
  /// The size of the whole file.
  index_t bytes = 0;
  std::vector<CheckpointEntry> entries;
};

/// The files of a checkpoint's generations, newest first. @collective
/// @throws IoError on every rank if the directory cannot be read
std::vector<std::filesystem::path> checkpoint_files(const Group& group, const std::filesystem::path& prefix);

/// Reads what a file says about itself. Everything but the data of arrays and values is compared with its
/// checksum.
/// @collective
CheckpointInfo inspect_checkpoint(const Group& group, const std::filesystem::path& file);
/// Like inspect_checkpoint, but also reads all data and compares it with its checksums. Each rank reads a part.
/// @collective
CheckpointInfo verify_checkpoint(const Group& group, const std::filesystem::path& file);

}  // namespace tessera::io
