// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <tessera/io/disk_request.hpp>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Moves runs of bytes between memory and a file, with few system calls. Small runs that follow one another in
/// the file are moved together, through a buffer. A read may also cover gaps of up to a page between them,
/// because a disk reads whole pages. A write never touches a gap, which may belong to another rank. @local
class RunTransfer {
 public:
  /// The buffer has at most `room` bytes.
  RunTransfer(DiskDirection direction, const Descriptor& file, index_t room)
      : direction_(direction), file_(file), room_(room) {}
  /// Adds a run. Its memory is needed until finish() returns. @throws IoError if it, or a run before it, cannot
  /// be moved
  void add(index_t offset, std::byte* memory, index_t bytes);
  void finish();

 private:
  struct Run {
    index_t offset;
    std::byte* memory;
    index_t bytes;
  };
  void move(index_t offset, std::byte* memory, index_t bytes);

  DiskDirection direction_;
  const Descriptor& file_;
  index_t room_;
  std::array<Run, 4096> runs_;  // those that go together, in the order of the file
  std::size_t count_ = 0;
  index_t begin_ = 0, end_ = 0;  // their range in the file
  std::unique_ptr<std::byte[]> buffer_;
  index_t size_ = 0;  // of the buffer
};

}  // namespace tessera::io::detail
