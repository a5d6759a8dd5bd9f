// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <memory>

#include <tessera/detail/epoch.hpp>
#include <tessera/detail/ghost_sides.hpp>
#include <tessera/detail/layout_core.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

namespace tessera::detail {

class Ghosts;

/// What an element of an array is.
struct ElementType {
  ElementKind kind;
  index_t size;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "float64", or "bytes of size 24". @local
std::string to_string(const ElementType& type);

/// Local memory with a run-time number of dimensions: what a View is to the core. Strides in elements.
template <class Pointer>
struct Buffer {
  Pointer data;
  const index_t* extents;
  const index_t* strides;
};

/// A patch of an array, or every step-th element of it from its first on.
struct Lattice : Box {
  Coordinates step;  // only if stepped
  bool stepped = false;

  Lattice() {}  // as Box: what is beyond the rank is not set
  Lattice(const Box& box) : Box(box) {}
  /// How many elements there are along a dimension. @local
  index_t extent(std::size_t d) const noexcept {
    const index_t range = hi[d] - lo[d];
    return stepped ? (range + step[d] - 1) / step[d] : range;
  }
};

/// Of elements, in bytes: as the memory of segments is aligned.
inline constexpr std::size_t most_alignment = 64;

/// A part of each element, in bytes.
struct Field {
  index_t offset, size;
};

/// What may be said about an array, but its layout and type.
struct CoreOptions {
  std::string_view name = "unnamed";
  std::optional<AtomicDomain> domain = {};
  /// Dimensions whose ghost cells at the ends of the array are those of the other end.
  std::array<bool, static_cast<std::size_t>(max_rank)> periodic{};
};

/// An array with run-time rank and element type: all that Array<T, N> does, and what interfaces from other
/// languages stand on. Patches and positions are arrays of rank() numbers.
class ArrayCore {
 public:
  /// @collective @throws as Segment, and UsageError if the layout differs between ranks or has more ranks than
  /// the group.
  ArrayCore(const Group& group, LayoutCore layout, ElementType type, const CoreOptions& options);
  /// In a part of a segment, whose contents stay. @collective @throws as above, and as Segment::part
  ArrayCore(const Segment& memory, index_t offset, LayoutCore layout, ElementType type,
            const CoreOptions& options);
  ~ArrayCore();
  ArrayCore(ArrayCore&&) noexcept;
  ArrayCore& operator=(ArrayCore&&) noexcept;

  const Group& group() const noexcept { return segment_.group(); }
  const LayoutCore& layout() const noexcept { return layout_; }
  const ElementType& type() const noexcept { return type_; }
  const std::string& name() const noexcept { return segment_.name(); }
  int rank() const noexcept { return layout_.rank(); }
  AtomicDomain domain() const noexcept { return segment_.domain(); }
  const std::array<bool, static_cast<std::size_t>(max_rank)>& periodic() const noexcept { return periodic_; }

  /// Buffers have the extents and strides of all dimensions of the array. @onesided
  /// @completion as Segment::put
  void put(const Lattice& patch, const Buffer<const void*>& from);
  /// @completion as Segment::get
  void get(const Lattice& patch, const Buffer<void*>& into) const;
  /// @completion as Segment::accumulate
  void accumulate(const Lattice& patch, const Buffer<const void*>& from, const void* alpha);
  void accumulate(const Lattice& patch, const Buffer<const void*>& from, Update update);
  Request put_async(const Lattice& patch, const Buffer<const void*>& from);
  Request get_async(const Lattice& patch, const Buffer<void*>& into) const;
  Request accumulate_async(const Lattice& patch, const Buffer<const void*>& from, const void* alpha);
  void put_notify(const Lattice& patch, const Buffer<const void*>& from, const Flag& flag);
  /// A patch of any place and size of the array that is repeated without end in all directions.
  /// @throws UsageError for a patch of an array without elements
  void put_periodic(const Box& patch, const Buffer<const void*>& from);
  void get_periodic(const Box& patch, const Buffer<void*>& into) const;
  void accumulate_periodic(const Box& patch, const Buffer<const void*>& from, const void* alpha);
  /// One field of each element; strides of the buffer in fields. @onesided @completion as put, get, accumulate
  void put_field(const Lattice& patch, const Field& field, const Buffer<const void*>& from);
  void get_field(const Lattice& patch, const Field& field, const Buffer<void*>& into) const;
  void accumulate_field(const Lattice& patch, const Field& field, ElementKind kind,
                        const Buffer<const void*>& from, const void* alpha);
  /// `count` elements at positions that follow each other in `at`, rank() numbers each. @onesided
  void gather(const index_t* at, void* into, index_t count, VectorMethod method) const;
  void scatter(const index_t* at, const void* from, index_t count, VectorMethod method);
  void scatter_accumulate(const index_t* at, const void* from, const void* alpha, index_t count,
                          VectorMethod method);
  [[noreturn]] void throw_list_lengths(std::size_t positions, std::size_t values) const;
  /// One element. @onesided
  void load(const index_t* at, void* value) const;
  void store(const index_t* at, const void* value);
  /// The same where the compiler knows the element's size. @onesided
  template <index_t size>
  void load(const index_t* at, void* value) const {
    const std::byte* place = element(at, size, Operation::get);
    place != nullptr ? static_cast<void>(std::memcpy(value, place, size)) : load(at, value);
  }
  template <index_t size>
  void store(const index_t* at, const void* value) {
    std::byte* place = element(at, size, Operation::put);
    place != nullptr ? static_cast<void>(std::memcpy(place, value, size)) : store(at, value);
  }
  void fetch_op(const index_t* at, Update update, const void* value, void* result);
  bool compare_exchange(const index_t* at, void* expected, const void* desired);
  template <int known>
  int owner(const index_t* at) const {
    check_element(at);
    return layout_.owner<known>(at);
  }
  /// Null for an element on another node. @local
  void* address(const index_t* at) const;

  void flush() const { segment_.flush(); }
  void flush(int rank) const { segment_.flush(rank); }
  /// Ends an epoch, too.
  void sync() const;
  void close();
  Statistics statistics() const { return segment_.statistics(); }

  /// This rank's own elements, as the dense array local_shape() says; null if it has none. @local
  void* local_data() const;
  const LocalShape& local_shape() const noexcept { return local_; }
  /// What a rank stores; null if it is on another node. @local
  void* storage(int rank) const { return segment_.address(rank); }
  /// A scope of direct access to a block of this rank, or to all of them; several may write at a time only to
  /// different blocks (told in builds with TESSERA_CHECKS). @local
  enum class Access { read, write };
  static constexpr index_t all_blocks = -1;
  void begin_access(index_t block, Access access) const;
  void end_access(index_t block, Access access) const noexcept;
  void order_local_access() const { segment_.order_local_access(); }
  /// Throws UsageError unless the array is usable. @local
  void require_open() const;
  /// Throws UsageError unless this rank's elements lie in memory as one array. @local
  void require_one_array() const;
  /// Block b of a rank on this node, as it is stored there. @local
  /// @throws UsageError if there is no such block, or the rank is on another node
  Piece stored_block(int rank, index_t b) const;

  /// Begins an epoch, with a number; `cache_bytes` on each node are for other nodes' elements. @collective
  /// @throws UsageError if another has not ended; MemoryError as Segment
  std::uint64_t begin_epoch(Mode mode, index_t cache_bytes);
  /// Ends the one of a number if it has not ended; what was written in it is visible to all. @collective
  /// @throws UsageError in builds with TESSERA_CHECKS if disjoint writes were not
  void end_epoch(std::uint64_t number);
  /// Ends whichever has not ended. @collective
  void end_epoch() const;
  /// Throws UsageError unless the epoch of a number goes on. @local
  void require_epoch(std::uint64_t number) const;
  /// Inside epochs of their mode. @onesided @completion as put, get, accumulate
  void get_cached(const Lattice& patch, const Buffer<void*>& into) const;
  void accumulate_cached(const Lattice& patch, const Buffer<const void*>& from, const void* alpha);
  void scatter_accumulate_cached(const index_t* at, const void* from, const void* alpha, index_t count);
  void put_disjoint(const Lattice& patch, const Buffer<const void*>& from);

  /// The exchange of ghost cells. @throws UsageError for an array without, or while another is under way
  void update_ghosts(const GhostSides& what, GhostMethod method);
  void begin_update_ghosts(const GhostSides& what);
  void end_update_ghosts();
  bool test_update_ghosts();

 private:
  class List;
  /// Whether an element is inside, and all owners are reached directly. @local
  bool is_direct(const index_t* at) const noexcept {
    // The layout of an array that was closed or moved from is not to be asked.
    if (segment_.face().direct_ranks == 0 || guarded_) return false;
    for (int d = 0; d < layout_.rank(); ++d) {
      if (static_cast<std::uint64_t>(at[d]) >=
          static_cast<std::uint64_t>(layout_.dims()[static_cast<std::size_t>(d)]))
        return false;
    }
    return true;
  }
  void check_element(const index_t* at) const {
    if (!is_direct(at)) look_at_element(at);
  }
  void look_at_element(const index_t* at) const;
  /// An element that is inside, is reached directly, and counts as an operation; else null. @local
  std::byte* element(const index_t* at, index_t size, Operation operation) const noexcept {
    if (!is_direct(at)) return nullptr;
    index_t offset = 0;
    const int owner = layout_.locate(at, offset);
    return segment_.face().count(owner, offset * size, size, operation);
  }
  template <class Pointer, class F>
  void for_each_transfer(const Lattice& patch, const Buffer<Pointer>& buffer, F&& f) const {
    for_each_transfer(patch, {0, type_.size}, buffer, f);
  }
  template <class Pointer, class F>
  void for_each_transfer(const Lattice& patch, const Field& field, const Buffer<Pointer>& buffer, F&& f) const;

  void fetch(const Lattice& patch, const Field& field, const Buffer<void*>& into) const;
  void check_positions(const index_t* at, index_t count) const;
  bool may_go_first(const void* values, VectorMethod method) const noexcept;
  void move_near(const index_t* at, std::byte* values, index_t count, Operation operation, List& far) const;
  template <class F>
  void for_each_list(const index_t* at, std::byte* values, index_t count, index_t part, F&& transfer) const;

  struct Epoch;
  /// In builds with TESSERA_CHECKS: throws UsageError in an epoch of another mode. @local
  void allow(std::optional<Mode> mode, std::string_view operation) const;
  struct Scopes;
  template <class Pointer, class F>
  void for_each_image(const Box& patch, const Buffer<Pointer>& buffer, F&& f) const;
  Ghosts& ghosts(const char* call) const;

  // What both constructors end with.
  void prepare(const Group& group);

  LayoutCore layout_;
  ElementType type_;
  std::array<bool, static_cast<std::size_t>(max_rank)> periodic_;
  Segment segment_;
  LocalShape local_;
  std::unique_ptr<Ghosts> ghosts_;
  std::unique_ptr<Scopes> scopes_;
  std::unique_ptr<Epoch> epoch_;
  mutable bool guarded_ = false;  // elements are not to be reached without a look at the epoch
};

}  // namespace tessera::detail
