// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/runtime/detail/tally.hpp>
#include <tessera/runtime/group.hpp>
#include <tessera/runtime/request.hpp>
#include <tessera/runtime/statistics.hpp>
#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera {

namespace detail {
class SegmentState;
}

/// Where the read-modify-write operations of a segment are made atomic; each segment has one place. The MPI
/// standard promises atomicity only among operations with the same update (section 12.7.1); both tested MPIs
/// keep it among all.
enum class AtomicDomain {
  cpu,  ///< under lock stripes in node-shared memory, by the calling process or an agent on the target's node
  mpi,  ///< by MPI_Accumulate and MPI_Fetch_and_op, also for the owner's own operations
};

/// How transfers travel to other nodes. Each gives the same result.
enum class TransferMethod {
  automatic,  ///< whatever is fastest for the size and shape
  batched,    ///< put, get: one MPI operation for each contiguous run, completed together
  direct,     ///< blocking put, get: one call on MPI datatypes, per 256 runs of a list (MPICH); else batched
  packed,     ///< packed into messages to the agent of the target, which unpacks them
};

/// The name of a method, such as "packed". @local
const char* to_string(TransferMethod method) noexcept;

/// Options for the creation of a segment; the same on every member.
struct SegmentOptions {
  std::string_view name = {};
  /// A hash of anything else that the members must agree on.
  std::uint64_t fingerprint = 0;
  /// Where read-modify-write operations are made atomic. The default is cpu, with an agent if the target is on
  /// another node. A group on one node always has cpu: MPI's updates would wait there until their target calls
  /// MPI.
  std::optional<AtomicDomain> domain = {};
  /// How transfers travel to other nodes; automatic follows TESSERA_METHOD if it is set. The method is always
  /// packed if MPI has no usable window, and in the CPU domain for operations other than put and get.
  TransferMethod method = TransferMethod::automatic;
};

/// One collective allocation: a slice of bytes for each member of a group. Any member reads, writes and
/// accumulates to a slice without the owner taking part. On a node an operation is a direct load or store.
/// Between nodes it is a message to an agent of the target, or MPI RMA on a window over the same memory. The
/// initial contents are zero or unspecified. Slices begin at multiples of 64 bytes.
///
/// Order: a process sees its own operations on one location in program order, whatever paths they took. Other
/// processes see them after a flush followed by a synchronisation with these processes, or after sync.
///
/// Local memory may be any memory, also that of this or another segment. If it overlaps the remote side, the
/// result is as if the transfer read its whole source first.
///
/// Threads: several may call one-sided operations at once. Between nodes that needs ThreadLevel::serialized or
/// multiple. Only one thread at a time may call collective operations.
class Segment {
 public:
  /// A segment that is not open, like one that was moved from. @local
  Segment() noexcept;
  /// Allocates `bytes` (may differ by rank, may be 0) on every member. @collective
  /// @throws MemoryError on every rank if some node cannot back its share; WindowError on every rank if the MPI
  /// domain was chosen and MPI has no usable window; UsageError if bytes < 0 or if the options differ between
  /// ranks.
  Segment(const Group& group, index_t bytes, const SegmentOptions& options = {});
  Segment(const Group& group, index_t bytes, std::string_view name)
      : Segment(group, bytes, SegmentOptions{.name = name}) {}
  /// The bytes [offset, offset + bytes) of each member's slice, as a segment of its own. The part keeps the
  /// memory alive with its contents, so existing data can become an array. The call first completes all
  /// operations on this segment. Later operations on the segment and on the part have no order against each
  /// other until a flush. Closing this segment closes its parts.
  /// @collective
  /// @throws UsageError on every rank if ranks disagree, the part leaves the slices, or offset is no multiple
  /// of 16
  Segment part(index_t offset, index_t bytes, std::string_view name, std::uint64_t fingerprint = 0) const;
  /// The place of a part in each member's slice.
  struct PartRange {
    index_t offset, bytes;
  };
  /// Where the open parts of this segment are, and the parts of these, by their offsets. A part that was given
  /// up counts until its memory is freed. @local; after the same collective calls alike on all members
  /// @throws UsageError for a closed segment
  std::vector<PartRange> parts() const;
  /// Gives up the memory. It is freed at the group's next collective call on which all members agree. @local
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

  /// Whether both have some memory in common, as parts of one segment may. @local; alike on all members
  bool overlaps(const Segment& other) const noexcept;
  /// Whether the slices of both begin with the same byte. @local; alike on all members
  bool begins_with(const Segment& other) const noexcept;

  /// The slice of a member on this node as a plain pointer; null for members elsewhere. @local
  std::byte* address(int rank) const noexcept;
  /// The member whose slice a pointer points into, and the offset; empty if it points into no slice of this
  /// segment on this node. @local
  struct Position {
    int rank;
    index_t offset;
  };
  std::optional<Position> locate(const void* pointer) const noexcept;

  /// Copies local memory to the slice of `rank`. @onesided
  /// @throws UsageError, as the other operations do, if the rank or a part of the place does not exist
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
  /// Combines local elements with elements of the slice of `rank` by sum, min or max; otherwise as accumulate.
  /// @onesided @throws UsageError for another update, or one that is not defined for the kind
  void accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, Update update,
                  const void* source);

  /// The same without waiting: local memory belongs to the transfer until the request is done. @onesided
  Request put_async(int rank, index_t offset, const Strided& shape, const void* source);
  Request get_async(int rank, index_t offset, const Strided& shape, void* target) const;
  Request accumulate_async(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                           const void* source);

  /// Reads one value of a type that can be moved, without any buffer. @onesided
  template <Element T>
  T load(int rank, index_t offset) const;
  /// Writes one such value. @completion as put
  template <Element T>
  void store(int rank, index_t offset, const T& value);

  /// Atomically adds one element and returns the old value in `result`. @onesided @completion done on return.
  void fetch_add(int rank, index_t offset, ElementKind kind, const void* value, void* result) {
    fetch_op(rank, offset, kind, Update::sum, value, result);
  }
  /// Atomically updates one element and returns the old value in `result`; atomic against every
  /// read-modify-write on the segment. @onesided @completion done on return.
  /// @throws UsageError for an update that is not defined for the kind
  void fetch_op(int rank, index_t offset, ElementKind kind, Update update, const void* value, void* result);
  /// Atomically stores `desired` if the element equals `expected`, and returns whether it did; `expected`
  /// becomes the old value. For int32 and int64. @onesided @completion done on return.
  /// @throws UsageError for another kind; in the MPI domain on Open MPI, whose compare-and-swap is not atomic
  /// against its other operations (use Scalars there)
  bool compare_exchange(int rank, index_t offset, ElementKind kind, void* expected, const void* desired);

  /// Returns when all of this process's operations on the slice of `rank` are done there. @onesided
  /// @throws UsageError if that rank does not exist
  void flush(int rank) const;
  /// The same for all members. @onesided
  void flush() const;
  /// Orders direct access to this process's slice (or another on the node) after this process's earlier
  /// operations there, and after writes that others have made visible. Call it before and after using
  /// address(). @local @throws UsageError if MPI is needed for that and does not allow this thread to call it
  void order_local_access() const;
  /// Completes this process's operations as flush() does, and then acts as order_local_access(). To the check
  /// for conflicts nothing has been flushed. @onesided
  void complete_and_order() const;
  /// flush() of every member and a barrier of the group: everything is visible to all. @collective
  void sync() const;

  /// This process's operations on the segment. @local
  Statistics statistics() const;

  /// Counts an operation that was done by plain loads or stores, or in a message. This and face() are for
  /// Tessera's own modules. @local
  void count(int rank, Operation operation, index_t bytes, Path path = Path::node) const;
  // If face().checked is not 0, Tessera's modules tell the checker of conflicts of accesses by loads and
  // stores.
  enum class LocalUse { read, write };
  /// Begins such an access to the slice of `rank`, in the shape's remote strides; returns its number. @local
  std::uint64_t begin_local_access(int rank, index_t offset, const Strided& shape, LocalUse use) const;
  /// Ends it; its effect is then complete. @local
  void end_local_access(std::uint64_t access) const noexcept;
  /// Ends those that are open, and begins them anew: around collective calls that order what is before and
  /// after them. @local
  void suspend_local_accesses() const;
  void resume_local_accesses() const;
  /// Sets the function that names places in the slice of a rank for reports: "patch [0:5, 2:4)". @local
  using Describe = std::function<std::string(int rank, const std::vector<PartRange>& places)>;
  void describe_places(Describe describe) const;
  /// The part of the segment that inline code needs. @local
  const detail::SegmentAccess& face() const noexcept {
    static constexpr detail::SegmentAccess none;
    return state_ ? *state_ : none;
  }

 private:
  friend class Runtime;
  friend class detail::SegmentState;
  Segment(Group group, std::shared_ptr<detail::SegmentAccess> state)
      : group_(std::move(group)), state_(std::move(state)) {}
  void hold(std::shared_ptr<detail::SegmentState> state);
  detail::SegmentState& state() const;
  Group group_;
  std::shared_ptr<detail::SegmentAccess> state_;
};

/// The place that a pointer points to. `segment` is another handle to the same memory, and keeps it alive.
struct Location {
  Segment segment;
  int rank;
  index_t offset;
};

template <Element T>
inline T Segment::load(int rank, index_t offset) const {
  T value;
  if (const std::byte* place = face().count(rank, offset, sizeof(T), Operation::get)) {
    std::memcpy(&value, place, sizeof(T));
  } else {
    get(rank, offset, Strided::contiguous(sizeof(T)), &value);
  }
  return value;
}

template <Element T>
inline void Segment::store(int rank, index_t offset, const T& value) {
  if (std::byte* place = face().count(rank, offset, sizeof(T), Operation::put)) {
    std::memcpy(place, &value, sizeof(T));
  } else {
    put(rank, offset, Strided::contiguous(sizeof(T)), &value);
  }
}

}  // namespace tessera
