// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <utility>

#include <sys/types.h>

#include <tessera/runtime/types.hpp>

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

/// The only one in this process that writes a part of a file: what HDF5 keeps about it, or the elements of one
/// dataset. HDF5 does not notice that it has a file open twice: each time it keeps structures of its own, and
/// datasets are lost. Two disk arrays of one dataset would not see each other's transfers. HDF5 may add
/// datasets beside disk arrays, whose elements keep their places. Other processes are not seen. Several threads
/// may use it.
class OnlyWriter {
 public:
  OnlyWriter() = default;
  /// Of what HDF5 keeps. @local @throws IoError if there is another one
  explicit OnlyWriter(const Descriptor& file) : OnlyWriter(file, all_of_hdf5) {}
  /// Of the elements that begin at `offset`. @local @throws IoError if there is another one
  OnlyWriter(const Descriptor& file, index_t offset);
  /// Of a file that HDF5 is going to open for writing. @local @throws IoError if HDF5 has it open already
  static void require_none_of_hdf5(const FileIdentity& file);
  /// Of a file that is going to be emptied or replaced. @local @throws IoError if any part of it has a writer
  static void require_none(const FileIdentity& file);
  ~OnlyWriter() { release(); }
  OnlyWriter(OnlyWriter&& other) noexcept
      : file_(std::exchange(other.file_, {})), offset_(std::exchange(other.offset_, all_of_hdf5)) {}
  OnlyWriter& operator=(OnlyWriter&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(offset_, other.offset_);
    return *this;
  }
  /// Lets others write. @local
  void release() noexcept;

 private:
  static constexpr index_t all_of_hdf5 = -1;  // less than all offsets

  FileIdentity file_;
  index_t offset_ = all_of_hdf5;
};

}  // namespace tessera::io::detail
