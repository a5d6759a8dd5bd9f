// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <utility>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Ensures that a path has only one writer. The lock is a file that names the writer's process and host. It is
/// also locked with flock, if the file system supports that. A lock is taken over if its process on this host
/// has ended, or ran before the host's last start. Other files, and locks of other users, are left alone.
/// @local
class PathLock {
 public:
  PathLock() = default;
  /// `take_over`: also takes over the lock of a process on another host, unless it is locked with flock.
  /// @throws IoError that names the host and process that hold the lock, or says what is there instead of a
  /// lock
  explicit PathLock(std::filesystem::path file, bool take_over);
  /// Removes the file, wherever its directory has been moved to.
  ~PathLock();
  PathLock(PathLock&& other) noexcept { swap(other); }
  PathLock& operator=(PathLock&& other) noexcept {
    PathLock taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// Whether others still find this file under its path. False after somebody has removed it, or moved its
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
