// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/epoch.hpp>
#include <tessera/core/layout_core.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

class AccessScopes;
class EpochState;
class Ghosts;

/// The type of the elements of an array.
struct ElementType {
  ElementKind kind;
  index_t size;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "float64", or "bytes of size 24". @local
std::string to_string(const ElementType& type);

/// The most that elements may be aligned to, in bytes: the alignment of segment memory.
inline constexpr std::size_t max_alignment = 64;

/// For each dimension, whether it is periodic: the ghost cells at one end are copies of elements at the other
/// end.
using Periodic = std::array<bool, static_cast<std::size_t>(max_rank)>;

/// Options of an array, except its layout and type.
struct CoreOptions {
  std::string_view name = "unnamed";
  std::optional<AtomicDomain> domain = {};
  Periodic periodic{};
  index_t alignment = 1;  // of elements
};

/// The most bytes that the layout gives a rank of the group; few if the layout is not possible. @local
index_t slice_to_ask(const Group& group, const LayoutCore& layout, const ElementType& type);

/// An array with run-time rank and element type, on which Array<T, N> and interfaces from other languages are
/// built. It locates elements, moves single elements, and keeps local access, epochs and ghost cells in order.
/// patch_transfers.hpp and its neighbours move patches and lists. Positions are arrays of rank() numbers.
class ArrayCore {
 public:
  /// @collective @throws as Segment, and UsageError if the layout differs between ranks or has more ranks than
  /// the group.
  ArrayCore(const Group& group, LayoutCore layout, ElementType type, const CoreOptions& options);
  /// An array in a part of a segment, whose contents stay. @collective @throws as above, and as Segment::part
  ArrayCore(const Segment& memory, index_t offset, LayoutCore layout, ElementType type,
            const CoreOptions& options);
  ~ArrayCore();
  ArrayCore(ArrayCore&&) noexcept;
  ArrayCore& operator=(ArrayCore&&) noexcept;
  /// Makes the elements unspecified. In builds with TESSERA_CHECKS they are filled with signalling NaN, so that
  /// elements that were never written stand out. @collective
  void forget_values();
  /// An array of `rank` dimensions that was never open; always the same object. @local
  static ArrayCore& none(int rank) noexcept;

  const Group& group() const noexcept { return segment_.group(); }
  const LayoutCore& layout() const noexcept { return layout_; }
  const ElementType& type() const noexcept { return type_; }
  const std::string& name() const noexcept { return segment_.name(); }
  int rank() const noexcept { return layout_.rank(); }
  AtomicDomain domain() const noexcept { return segment_.domain(); }
  const Periodic& periodic() const noexcept { return periodic_; }
  /// The segment that holds the elements. @local
  Segment& segment() noexcept { return segment_; }
  const Segment& segment() const noexcept { return segment_; }

  /// Throws UsageError unless the array is usable. @local
  void require_open() const;
  /// Throws UsageError unless the array is usable and the element inside. @local
  template <int known = 0>
  void require_element(const index_t* at) const {
    if (!is_direct<known>(at)) look_at_element(at);
  }

  /// One element. @onesided @throws UsageError outside the array @completion as the members of Array
  void load(const index_t* at, void* value) const;
  void store(const index_t* at, const void* value);
  /// The same where the compiler knows the element's size and the array's rank. @onesided
  template <index_t size, int known>
  void load(const index_t* at, void* value) const {
    const std::byte* place = element<known>(at, size, Operation::get);
    place != nullptr ? static_cast<void>(std::memcpy(value, place, size)) : load(at, value);
  }
  template <index_t size, int known>
  void store(const index_t* at, const void* value) {
    std::byte* place = element<known>(at, size, Operation::put);
    place != nullptr ? static_cast<void>(std::memcpy(place, value, size)) : store(at, value);
  }
  template <int known>
  void fetch_op(const index_t* at, Update update, const void* value, void* result) {
    index_t offset = 0;
    const int owner = locate<known>(at, offset);
    fetch_op(owner, offset, update, value, result);
  }
  template <int known>
  bool compare_exchange(const index_t* at, void* expected, const void* desired) {
    index_t offset = 0;
    const int owner = locate<known>(at, offset);
    return compare_exchange(owner, offset, expected, desired);
  }
  template <int known>
  int owner(const index_t* at) const {
    require_element<known>(at);
    return layout_.owner<known>(at);
  }
  /// The address of an element; null if it is on another node. @local @throws UsageError outside the array
  template <int known = 0>
  void* address(const index_t* at) const {
    if (is_direct<known>(at)) {
      index_t offset = 0;
      const int owner = layout_.locate<known>(at, offset);
      if (std::byte* place = segment_.face().reach(owner, offset * type_.size, type_.size)) return place;
    }
    return find_address(at);
  }

  void flush() const { segment_.flush(); }
  void flush(int rank) const { segment_.flush(rank); }
  /// Ends an epoch, too.
  void sync() const;
  void close();
  Statistics statistics() const { return segment_.statistics(); }

  /// This rank's own elements, stored as the dense array that local_shape() describes; null if it has none.
  /// @local
  void* local_data() const;
  const LocalShape& local_shape() const noexcept { return local_; }
  /// What this rank owns, if that is one block; else nothing. @local
  const Box& own_block() const noexcept { return own_block_; }
  /// The memory in which a rank stores its elements; null if it is on another node. @local
  void* storage(int rank) const { return segment_.address(rank); }
  /// Block b of a rank on this node, as it is stored there. @local
  /// @throws UsageError if there is no such block, or the rank is on another node
  Piece stored_block(int rank, index_t b) const;
  /// Throws UsageError unless this rank's elements lie in memory as one array. @local
  void require_one_array() const;
  void order_local_access() const { segment_.order_local_access(); }
  void complete_and_order() const { segment_.complete_and_order(); }
  /// A scope of direct access to a block of this rank, or to all of them. Scopes may write at the same time
  /// only to different blocks (checked in builds with TESSERA_CHECKS). @local
  enum class Access { read, write };
  static constexpr index_t all_blocks = -1;
  void begin_access(index_t block, Access access) const;
  void end_access(index_t block, Access access) const noexcept;
  /// Elements in memory, or members of them: where the first is, and the strides in elements of the array.
  struct Stored {
    const void* data;
    int rank;
    const index_t *extents, *strides;
    index_t size;  // of an element or member
  };
  /// Tells the checker of conflicts of an access by loads and stores. Returns its number; 0 if accesses are not
  /// checked. @local
  std::uint64_t begin_checked(const Stored& elements, Access access) const {
    return segment_.face().checked == 0 ? 0 : note_access(elements, access);
  }
  void end_checked(std::uint64_t number) const noexcept {
    if (number != 0) segment_.end_local_access(number);
  }

  /// Begins an epoch, and returns its number. `cache_bytes` on each node are for other nodes' elements.
  /// @collective @throws UsageError if another epoch has not ended; MemoryError as Segment
  std::uint64_t begin_epoch(Mode mode, index_t cache_bytes);
  /// Ends the epoch of a number if it has not ended. All its writes are then visible to all. @collective
  /// @throws UsageError in builds with TESSERA_CHECKS if disjoint writes overlap
  void end_epoch(std::uint64_t number);
  /// Ends the epoch that has not ended, if there is one. @collective
  void end_epoch() const;
  /// Throws UsageError unless the epoch of a number is active. @local
  void require_epoch(std::uint64_t number) const;
  /// In builds with TESSERA_CHECKS: throws UsageError in an epoch of another mode. @local
  void allow(std::optional<Mode> mode, std::string_view operation) const;
  /// The state of the epoch, for transfers that depend on it. @local
  EpochState& epoch() const noexcept { return *epoch_; }

  /// Null for an array without ghost cells. @local
  Ghosts* ghosts() const noexcept { return ghosts_.get(); }

 private:
  explicit ArrayCore(LayoutCore layout);
  /// Whether an element is inside, and the array needs no further checks: it has directly reached members, and
  /// is in no checked epoch. @local
  template <int known>
  bool is_direct(const index_t* at) const noexcept {
    // The layout of a closed or moved-from array must not be used.
    if (segment_.face().direct_ranks == 0 || guarded_) return false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(known > 0 ? known : layout_.rank()); ++d) {
      if (static_cast<std::uint64_t>(at[d]) >= static_cast<std::uint64_t>(layout_.dims()[d])) return false;
    }
    return true;
  }
  void look_at_element(const index_t* at) const;
  std::uint64_t note_access(const Stored& elements, Access access) const;
  void* find_address(const index_t* at) const;
  /// The owner of an element, and its offset there in bytes. @local @throws UsageError outside the array
  template <int known = 0>
  int locate(const index_t* at, index_t& offset) const {
    require_element<known>(at);
    const int owner = layout_.locate<known>(at, offset);
    offset *= type_.size;
    return owner;
  }
  void fetch_op(int owner, index_t offset, Update update, const void* value, void* result);
  bool compare_exchange(int owner, index_t offset, void* expected, const void* desired);
  /// The address of an element if it is inside, reached directly, and counted as an operation; else null.
  /// @local
  template <int known>
  std::byte* element(const index_t* at, index_t size, Operation operation) const noexcept {
    if (!is_direct<known>(at)) return nullptr;
    index_t offset = 0;
    const int owner = layout_.locate<known>(at, offset);
    return segment_.face().count(owner, offset * size, size, operation);
  }
  // The last step of both constructors.
  void prepare(const Group& group);

  LayoutCore layout_;
  ElementType type_;
  Periodic periodic_;
  Segment segment_;
  LocalShape local_;
  Box own_block_{};
  std::unique_ptr<Ghosts> ghosts_;
  std::unique_ptr<AccessScopes> scopes_;
  std::unique_ptr<EpochState> epoch_;
  mutable bool guarded_ = false;
};

/// Tells the checker of conflicts of an access by loads and stores, as long as it lives.
class CheckedAccess {
 public:
  CheckedAccess(const ArrayCore& array, const ArrayCore::Stored& elements, ArrayCore::Access access)
      : array_(array), number_(array.begin_checked(elements, access)) {}
  CheckedAccess(const CheckedAccess&) = delete;
  CheckedAccess& operator=(const CheckedAccess&) = delete;
  ~CheckedAccess() { array_.end_checked(number_); }

 private:
  const ArrayCore& array_;
  std::uint64_t number_;
};

}  // namespace tessera::detail
