// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Bytes that are summed, and the part of them that is written at an offset in a file.
struct Chunk {
  std::span<const std::byte> summed, written;
  index_t offset;
};

/// A thread of low priority that sums chunks, writes them, and flushes them to disk. It calls neither MPI nor
/// HDF5.
/// @local
class BackgroundWriter {
 public:
  /// @throws IoError if no thread can be started
  BackgroundWriter(const Descriptor& file, std::unique_ptr<std::byte[]> memory, std::vector<Chunk> chunks,
                   index_t bytes_per_second);
  /// Stops the thread after its current chunk.
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  bool is_done() const noexcept { return done_.load(std::memory_order_acquire); }
  /// Waits until the thread is done. Returns the checksums of the chunks. @throws IoError if something could
  /// not be written
  const std::vector<std::uint64_t>& wait();

 private:
  void run() noexcept;
  void pause_after(index_t bytes) const;

  const Descriptor& file_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Chunk> chunks_;
  index_t bytes_per_second_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<std::uint64_t> checksums_;
  std::string problem_;
  std::atomic<bool> done_ = false, stopped_ = false;
  std::thread thread_;
};

}  // namespace tessera::io::detail
