// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include <sys/types.h>

#include <tessera/runtime/types.hpp>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// A file that replaces another one, and takes over its permissions, when it is complete. From a stranger's
/// file it takes no permission that the umask denies. Until commit() it has a temporary name in the same
/// directory. A symbolic link stays; the file that it leads to is replaced (see without_links). With
/// Links::refuse it is a new file: it replaces nothing, not even a link.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path, Links links = Links::follow);

  /// Creates the file under a unique temporary name. @local @throws IoError
  void begin();
  const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Reserves space for `bytes` bytes, if the file system supports it. The file then has this size.
  /// @local @throws IoError if there is not enough space, or this process may not write so much.
  void reserve(index_t bytes) const;
  /// Flushes its contents to disk. @local @throws IoError
  void flush() const;
  /// Gives the file its final name. @local @throws IoError
  void commit();
  /// Removes the file if it was not renamed. @local
  void discard() noexcept;
  /// Flushes the new name to disk. @local @throws IoError
  void flush_directory() const;

 private:
  std::filesystem::path path_, temporary_;
  std::optional<mode_t> mode_;  // of the file that is replaced, if it is no stranger's
  Links links_;
  bool exists_ = false;
};

/// Replaces a file by these bytes, which are on disk on return. If that fails, the old file stays. @local
/// @throws IoError
void replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace tessera::io::detail
