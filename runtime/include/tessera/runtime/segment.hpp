// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {
struct SegmentState;
}

/// Where the read-modify-write operations of a segment are made atomic; one place per segment, never two.
enum class AtomicDomain {
  cpu,  ///< under lock stripes in node-shared memory, by the calling process
  mpi,  ///< by MPI_Accumulate and MPI_Fetch_and_op, the owner's own operations too
};

/// One collective allocation: a slice of bytes per member of a group, which any member reads, writes and
/// accumulates without the owner taking part. On a node an operation is a direct load or store; between nodes
/// it is MPI RMA on a window over the same memory. Contents are zero or unspecified at first.
///
/// Order: a process sees its own operations on one location in program order, whatever paths they took. Other
/// processes see them after flush and a synchronisation of their own, or after sync. Slices begin at multiples
/// of 64 bytes.
class Segment {
 public:
  /// Allocates `bytes` (may differ by rank, may be 0) on every member. @collective
  /// @throws MemoryError on every rank if some node cannot back its share; WindowError on every rank if the
  /// group spans nodes and MPI has no usable window between them; UsageError if bytes < 0, or if the name or
  /// `fingerprint` (a hash of whatever else the ranks must agree on) differs between ranks.
  Segment(const Group& group, index_t bytes, std::string_view name = {}, std::uint64_t fingerprint = 0);
  /// Gives the memory up. It is freed at the group's next collective call on which all members agree. @local
  ~Segment();
  Segment(Segment&&) noexcept;
  Segment& operator=(Segment&&) noexcept;

  /// Completes all operations and frees the memory now. @collective
  void close();

  const Group& group() const noexcept { return group_; }
  const std::string& name() const noexcept;
  AtomicDomain domain() const noexcept;
  /// Whether the segment is usable: not closed, moved from, or outlived by its runtime. @local
  bool is_open() const noexcept;
  /// The largest slice of any member in bytes, rounded up to the alignment of slices. @local
  index_t slice_bytes() const noexcept;

  /// The slice of a member on this node as a plain pointer; null for members elsewhere. @local
  std::byte* address(int rank) const noexcept;

  /// Copies local memory to the slice of `rank`. @onesided
  /// @completion on return `source` may be reused; the data is at the target after flush.
  void put(int rank, index_t offset, const Strided& shape, const void* source);
  /// Copies from the slice of `rank` to local memory. @onesided @completion `target` is filled on return.
  void get(int rank, index_t offset, const Strided& shape, void* target) const;
  /// Adds alpha times local elements to elements of the slice of `rank`; atomic per element against every
  /// read-modify-write on the segment. `alpha` points to one element; runs and strides are multiples of its
  /// size.
  /// @onesided @completion on return `source` may be reused; done at the target after flush.
  void accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                  const void* source);
  /// Atomically adds one element and returns in `result` what was there. @onesided @completion done on return.
  void fetch_add(int rank, index_t offset, ElementKind kind, const void* value, void* result);

  /// Returns when all of this process's operations on the slice of `rank` are done there. @onesided
  void flush(int rank) const;
  /// The same for all members. @onesided
  void flush() const;
  /// Orders direct access to this process's slice (or a node's) after this process's own earlier operations,
  /// and after what others had made visible. Call it before and after using address(). @local
  void order_local_access() const;
  /// flush() of every member and a barrier of the group: everything is visible to all. @collective
  void sync() const;

 private:
  detail::SegmentState& state() const;
  Group group_;
  std::shared_ptr<detail::SegmentState> state_;
};

}  // namespace tessera
