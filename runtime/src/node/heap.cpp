// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/heap.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <tessera/runtime/error.hpp>

#include "base/cache_line.hpp"
#include "base/memory_check.hpp"
#include "format.hpp"
#include "node/free_list.hpp"
#include "node/node_memory.hpp"

namespace tessera {

struct Heap::Blocks {
  explicit Blocks(index_t bytes) : free(bytes) {}
  std::mutex mutex;
  detail::FreeList free;
  std::unordered_map<index_t, index_t> taken;  // offset -> size
};

Heap::Heap(const Group& group, index_t bytes, std::string_view name)
    : segment_(group, bytes, name),
      blocks_(std::make_unique<Blocks>(bytes / detail::cache_line * detail::cache_line)) {}
Heap::~Heap() = default;
Heap::Heap(Heap&&) noexcept = default;
Heap& Heap::operator=(Heap&&) noexcept = default;

void Heap::close() { segment_.close(); }

void Heap::require_memory() const {
  if (!blocks_) throw UsageError("a heap was used after it had been moved from");
}

HeapPointer Heap::allocate(index_t bytes) {
  require_memory();
  const int rank = segment_.group().rank();
  if (!segment_.is_open())
    throw UsageError(formatted("heap \"{}\" was used after it was closed", segment_.name()));
  if (bytes < 0) {
    throw UsageError(
        formatted("heap \"{}\": {} bytes were asked for on rank {}", segment_.name(), bytes, rank));
  }
  const std::lock_guard lock(blocks_->mutex);
  // An allocation of 0 bytes has a place of its own, too.
  const index_t size = bytes <= blocks_->free.available()
                           ? detail::round_up(std::max<index_t>(bytes, 1), detail::cache_line)
                           : bytes;
  const index_t offset = blocks_->free.take(size);
  if (offset < 0) {
    throw MemoryError(formatted(
        "heap \"{}\" on rank {} has no room for {} ({} are free, {} in one piece); make it larger or give "
        "memory back",
        segment_.name(), rank, detail::format_bytes(bytes), detail::format_bytes(blocks_->free.available()),
        detail::format_bytes(blocks_->free.largest())));
  }
  blocks_->taken.emplace(offset, size);
  return {rank, offset};
}

void Heap::deallocate(HeapPointer pointer) {
  require_memory();
  const int rank = segment_.group().rank();
  const std::lock_guard lock(blocks_->mutex);
  const auto found = pointer.rank == rank ? blocks_->taken.find(pointer.offset) : blocks_->taken.end();
  if (found == blocks_->taken.end()) {
    throw UsageError(
        formatted("heap \"{}\": offset {} of rank {} was given back on rank {}, which has not allocated it, "
                  "or no more (only "
                  "the process that allocated memory gives it back, once)",
                  segment_.name(), pointer.offset, pointer.rank, rank));
  }
  blocks_->free.give_back(found->first, found->second);
  blocks_->taken.erase(found);
}

std::byte* Heap::address(HeapPointer pointer) const noexcept {
  if (!blocks_ || !pointer || pointer.rank >= segment_.group().size()) return nullptr;
  std::byte* slice = segment_.address(pointer.rank);
  return slice == nullptr ? nullptr : slice + pointer.offset;
}

index_t Heap::available() const {
  require_memory();
  const std::lock_guard lock(blocks_->mutex);
  return blocks_->free.available();
}

}  // namespace tessera
