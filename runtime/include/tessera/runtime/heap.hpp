// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/runtime/segment.hpp>

namespace tessera {

/// Memory that one process has allocated for all to use: a plain value, which can be sent and stored. Valid for
/// the members of the heap's group.
struct HeapPointer {
  int rank = -1;
  index_t offset = 0;
  explicit operator bool() const noexcept { return rank >= 0; }
  /// `bytes` further on.
  HeapPointer operator+(index_t bytes) const noexcept { return {rank, offset + bytes}; }
  friend bool operator==(const HeapPointer&, const HeapPointer&) = default;
};

/// Memory from which each member allocates alone, without the others taking part, and which all members read,
/// write and accumulate: heap.segment().put(p.rank, p.offset, ...).
class Heap {
 public:
  /// Every member can allocate up to `bytes` (may differ by rank). @collective @throws as Segment
  Heap(const Group& group, index_t bytes, std::string_view name = "heap");
  ~Heap();
  Heap(Heap&&) noexcept;
  Heap& operator=(Heap&&) noexcept;
  /// Frees all of it now. @collective
  void close();

  /// `bytes` of this process's share, at a multiple of 64. Contents are unspecified. Threads may call it at
  /// once.
  /// @local
  /// @throws MemoryError if there is no such room; UsageError if bytes < 0
  HeapPointer allocate(index_t bytes);
  /// Gives back what this process has allocated. @local
  /// @throws UsageError for anything else
  void deallocate(HeapPointer pointer);
  /// What a pointer points to, if it is on this node, and null if not. @local
  std::byte* address(HeapPointer pointer) const noexcept;
  /// Bytes that this process could still allocate, not necessarily in one piece. @local
  index_t available() const;

  Segment& segment() noexcept { return segment_; }
  const Segment& segment() const noexcept { return segment_; }

 private:
  struct Blocks;
  Segment segment_;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace tessera
