// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/run_transfer.hpp"

#include <cstring>
#include <span>
#include <utility>

namespace tessera::io::detail {
namespace {

constexpr index_t page = 4096;
// From here on a system call costs less than a copy through the buffer.
constexpr index_t moved_alone = 32768;

}  // namespace

void RunTransfer::add(index_t offset, std::byte* memory, index_t bytes) {
  const index_t gap = direction_ == DiskDirection::read ? page : 0;
  const bool joins = count_ > 0 && count_ < runs_.size() && offset >= end_ && offset - end_ <= gap &&
                     offset + bytes - begin_ <= room_ && bytes < moved_alone;
  if (!joins) finish();
  if (bytes >= moved_alone) return move(offset, memory, bytes);
  if (count_ == 0) begin_ = offset;
  end_ = offset + bytes;
  runs_[count_++] = {offset, memory, bytes};
}

void RunTransfer::finish() {
  const std::size_t count = std::exchange(count_, 0);
  if (count == 0) return;
  if (count == 1) return move(runs_[0].offset, runs_[0].memory, runs_[0].bytes);
  // No larger than needed: most sections are small.
  if (const index_t needed = end_ - begin_; size_ < needed) {
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(needed));
    size_ = needed;
  }
  std::byte* const buffer = buffer_.get();
  const auto each = [&](auto&& copy) {
    for (std::size_t i = 0; i < count; ++i)
      copy(buffer + (runs_[i].offset - begin_), runs_[i].memory, static_cast<std::size_t>(runs_[i].bytes));
  };
  if (direction_ == DiskDirection::write)
    each([](std::byte* place, const std::byte* memory, std::size_t size) { std::memcpy(place, memory, size); });
  move(begin_, buffer, end_ - begin_);
  if (direction_ == DiskDirection::read)
    each([](const std::byte* place, std::byte* memory, std::size_t size) { std::memcpy(memory, place, size); });
}

void RunTransfer::move(index_t offset, std::byte* memory, index_t bytes) {
  const std::span span(memory, static_cast<std::size_t>(bytes));
  direction_ == DiskDirection::write ? write_at(file_, span, offset) : read_at(file_, span, offset);
}

}  // namespace tessera::io::detail
