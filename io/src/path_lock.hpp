// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

#include "descriptor.hpp"

namespace tessera::io::detail {

/// One writer for a path: a file that says which process of which host it is, locked (flock) where the file
/// system can do that. One whose process has ended on this host, or before its last start, is taken over.
/// @local
class PathLock {
 public:
  PathLock() = default;
  /// `take_over`: one of a process of another host, too, unless it is locked.
  /// @throws IoError that names the host and process that has it
  explicit PathLock(std::filesystem::path file, bool take_over);
  /// Removes the file.
  ~PathLock();
  PathLock(PathLock&& other) noexcept { swap(other); }
  PathLock& operator=(PathLock&& other) noexcept {
    PathLock taken(std::move(other));
    swap(taken);
    return *this;
  }

 private:
  void swap(PathLock& other) noexcept {
    file_.swap(other.file_);
    std::swap(descriptor_, other.descriptor_);
  }

  std::filesystem::path file_;
  Descriptor descriptor_;
};

}  // namespace tessera::io::detail
