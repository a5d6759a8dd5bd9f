// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/runtime/segment.hpp>

namespace tessera {

/// A pointer to memory that one member allocated for all to use. It is a plain value, which can be sent and
/// stored, and is valid for the members of the heap's group.
struct HeapPointer {
  int rank = -1;
  index_t offset = 0;
  explicit operator bool() const noexcept { return rank >= 0; }
  /// `bytes` further on.
  HeapPointer operator+(index_t bytes) const noexcept { return {rank, offset + bytes}; }
  friend bool operator==(const HeapPointer&, const HeapPointer&) = default;
};

/// Memory from which each member allocates without the others taking part. All members read, write and
/// accumulate to it: heap.segment().put(p.rank, p.offset, ...).
class Heap {
 public:
  /// Every member can allocate up to `bytes` (may differ by rank). @collective @throws as Segment
  Heap(const Group& group, index_t bytes, std::string_view name = "heap");
  ~Heap();
  Heap(Heap&&) noexcept;
  Heap& operator=(Heap&&) noexcept;
  /// Frees the whole heap now. @collective
  void close();

  /// Allocates `bytes` of this process's share, at a multiple of 64. Contents are unspecified. Several threads
  /// may call it at once.
  /// @local
  /// @throws MemoryError if no free piece is large enough; UsageError if bytes < 0, or the heap is closed
  HeapPointer allocate(index_t bytes);
  /// Frees memory that this process has allocated. @local
  /// @throws UsageError for anything else
  void deallocate(HeapPointer pointer);
  /// The address of the memory if it is on this node, else null. @local
  std::byte* address(HeapPointer pointer) const noexcept;
  /// Bytes that this process could still allocate, not necessarily in one piece. @local
  index_t available() const;

  Segment& segment() noexcept { return segment_; }
  const Segment& segment() const noexcept { return segment_; }

 private:
  void require_memory() const;

  struct Blocks;
  Segment segment_;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace tessera
