// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

#include <tessera/runtime/group.hpp>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// A file that takes the place of another, and gets its permissions, when it is complete: it has a temporary
/// name in the same directory until commit(). A symbolic link stays, and what it leads to is replaced (see
/// without_links). One rank makes, renames and removes it. With Links::refuse it is a new file: nothing is
/// replaced, a link neither.
class AtomicFile {
 public:
  enum class Part : std::uint8_t { makes, uses };
  AtomicFile(std::filesystem::path path, Part part, Links links = Links::follow);

  /// Makes the file, with a name that nobody else has. @local @throws IoError
  void begin();
  /// Tells the others its name. @collective
  void share_name(const Group& group);
  const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Takes space on the file system for so many bytes, where that can be done; the file has this size then.
  /// @local @throws IoError if there is not enough, or more than this process may write.
  void reserve(index_t bytes) const;
  /// Puts what this node has written on disk. @local @throws IoError
  void flush() const;
  /// Renames it. @local @throws IoError
  void commit();
  /// Removes the file if it was not renamed. @local
  void discard() noexcept;
  /// Puts the new name on disk. @local @throws IoError
  void flush_directory() const;

 private:
  std::filesystem::path path_, temporary_;
  std::optional<mode_t> mode_;  // of the file that was there
  Part part_;
  Links links_;
  bool exists_ = false;
};

}  // namespace tessera::io::detail
