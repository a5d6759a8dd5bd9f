// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <utility>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// One writer for a path: a file that says which process of which host it is, locked (flock) where the file
/// system can do that. One whose process has ended on this host, or before its last start, is taken over; what
/// is anything but such a file, or somebody else's, is left alone.
/// @local
class PathLock {
 public:
  PathLock() = default;
  /// `take_over`: one of a process of another host, too, unless it is locked.
  /// @throws IoError that names the host and process that has it, or says what is there instead of a lock
  explicit PathLock(std::filesystem::path file, bool take_over);
  /// Removes the file, wherever its directory has been moved to.
  ~PathLock();
  PathLock(PathLock&& other) noexcept { swap(other); }
  PathLock& operator=(PathLock&& other) noexcept {
    PathLock taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// Whether the file is still what others find under its path: not after somebody has removed it, or moved its
  /// directory away.
  bool holds() const noexcept;

 private:
  void swap(PathLock& other) noexcept {
    file_.swap(other.file_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(directory_, other.directory_);
  }

  std::filesystem::path file_;
  Descriptor descriptor_, directory_;
};

}  // namespace tessera::io::detail
