// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <utility>

#include <sys/types.h>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Identifies a file among all that this node sees; zeros if there is none.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  auto operator<=>(const FileIdentity&) const = default;
};
FileIdentity identity(const Descriptor& file);
FileIdentity identity(const std::filesystem::path& path);

/// The only one in this process that has a file open for writing through HDF5. HDF5 does not notice that it has
/// a file open twice: each time it keeps structures of its own, and datasets are lost. Other processes are not
/// seen.
class OnlyWriter {
 public:
  OnlyWriter() = default;
  /// @local @throws IoError if there is another one
  explicit OnlyWriter(const Descriptor& file);
  /// @local @throws IoError if there is one
  static void require_none(const FileIdentity& file);
  ~OnlyWriter();
  OnlyWriter(OnlyWriter&& other) noexcept : file_(std::exchange(other.file_, {})) {}
  OnlyWriter& operator=(OnlyWriter&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

 private:
  FileIdentity file_;
};

}  // namespace tessera::io::detail
