// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/background_writer.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <sys/resource.h>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/quiet_thread.hpp>

#include "base/checksum.hpp"

namespace tessera::io::detail {

BackgroundWriter::BackgroundWriter(const Descriptor& file, std::unique_ptr<std::byte[]> memory,
                                   std::vector<Chunk> chunks, index_t bytes_per_second)
    : file_(file),
      memory_(std::move(memory)),
      chunks_(std::move(chunks)),
      bytes_per_second_(bytes_per_second),
      begin_(std::chrono::steady_clock::now()),
      checksums_(chunks_.size()) {
  try {
    thread_ = tessera::detail::quiet_thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw IoError(std::string("no thread can be started to write in: ") + error.what());
  }
}

BackgroundWriter::~BackgroundWriter() {
  stopped_.store(true);
  if (thread_.joinable()) thread_.join();
}

const std::vector<std::uint64_t>& BackgroundWriter::wait() {
  if (thread_.joinable()) thread_.join();
  if (!problem_.empty()) throw IoError(problem_);
  return checksums_;
}

void BackgroundWriter::run() noexcept {
  // On Linux this affects only this thread; a failure matters little. The thread gets a quarter of a busy core.
  // At the lowest priority it would get a 70th, which cannot keep a disk busy.
  setpriority(PRIO_PROCESS, 0, 5);
  try {
    index_t written = 0;
    for (std::size_t i = 0; i < chunks_.size() && !stopped_.load(); ++i) {
      checksums_[i] = checksum(chunks_[i].summed);
      write_at(file_, chunks_[i].written, chunks_[i].offset);
      pause_after(written += static_cast<index_t>(chunks_[i].summed.size()));
    }
    if (!stopped_.load()) flush_data(file_);
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  memory_.reset();
  done_.store(true, std::memory_order_release);
}

void BackgroundWriter::pause_after(index_t bytes) const {
  if (bytes_per_second_ <= 0) return;
  const auto due =
      begin_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(
                   static_cast<double>(bytes) / static_cast<double>(bytes_per_second_)));
  // Sleep for short times, so that the thread stops soon when asked to.
  for (auto now = std::chrono::steady_clock::now(); now < due && !stopped_.load();
       now = std::chrono::steady_clock::now())
    std::this_thread::sleep_until(std::min(due, now + std::chrono::milliseconds(50)));
}

}  // namespace tessera::io::detail
