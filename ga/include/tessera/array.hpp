// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/core_owner.hpp>
#include <tessera/detail/field_transfers.hpp>
#include <tessera/detail/ghost_updates.hpp>
#include <tessera/detail/list_transfers.hpp>
#include <tessera/detail/patch_transfers.hpp>
#include <tessera/detail/periodic_transfers.hpp>
#include <tessera/ghost_update.hpp>
#include <tessera/layout.hpp>
#include <tessera/local_access.hpp>
#include <tessera/local_transfer.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/vector.hpp>
#include <tessera/view.hpp>

namespace tessera {

/// Options of a new array.
template <std::size_t N>
struct ArrayOptions {
  /// The name that messages and files use.
  std::string_view name = "unnamed";
  /// Where read-modify-write operations are made atomic; see SegmentOptions.
  std::optional<AtomicDomain> domain = {};
  /// The width of the ghost cells: how many elements beside its own block each rank keeps copies of, on either
  /// side of each dimension. One number for all dimensions (`.ghosts = 2`), or one for each.
  PerDimension<index_t, N> ghosts = {};
  /// Periodic dimensions: the ghost cells at one end are copies of elements at the other end. One word for all
  /// dimensions (`.periodic = true`), or one for each.
  PerDimension<bool, N> periodic = {};
};

template <class T, std::size_t N>
class Slice;
template <class T>
class Indexed;
namespace detail {
template <class T, std::size_t N, class... I>
using HeldSlice = std::enable_if_t<hold_some<N, I...>, Slice<T, dimensions_left<I...>>>;

/// The layout with the ghost cells of the options, unless they leave them to the layout. @local
template <std::size_t N>
LayoutCore layout_with_ghosts(const Layout<N>& layout, const ArrayOptions<N>& options) {
  if (options.ghosts == PerDimension<index_t, N>()) return layout.core();
  return layout.with_ghosts(options.ghosts).core();
}
}  // namespace detail

/// A distributed array of N dimensions. Its elements lie in the memory of the processes of a group. Any of
/// these processes reads, writes and accumulates any patch without the owner taking part. The array is usable
/// when the constructor returns. New elements are unspecified (signalling NaN in builds with TESSERA_CHECKS).
/// Move-only: slices, local access, epochs and updates stay with the elements when the array is moved.
///
/// Order and visibility: a process sees its own operations on one location in program order. Others see them
/// after flush() and a synchronisation of their own, or after sync().
template <Element T, std::size_t N>
class Array {
  static_assert(alignof(T) <= detail::max_alignment, "elements are aligned to 64 bytes at most");

 public:
  using value_type = T;
  static constexpr std::size_t rank() noexcept { return N; }

  /// Distributes `dims` in even blocks over all ranks of the group. @collective
  /// @throws UsageError for a bad shape or if ranks disagree; MemoryError if there is not enough memory;
  /// WindowError if the group spans nodes that MPI cannot connect. All on every rank.
  Array(const Group& group, const Extents<N>& dims, const ArrayOptions<N>& options = {})
      : Array(group, Layout<N>::blocked(dims, group.size(), {.periodic = options.periodic}), options) {}
  /// Distributes as the layout says. @collective @throws as above, and UsageError if it has more ranks than the
  /// group.
  Array(const Group& group, const Layout<N>& layout, const ArrayOptions<N>& options = {})
      : core_({group,
               detail::layout_with_ghosts(layout, options),
               {element_kind<T>(), sizeof(T)},
               {options.name, options.domain, periodic(options)}}) {}
  /// An array in memory that the program already has. The elements of each rank begin at byte `offset` of its
  /// slice of the segment, in the order that the layout says. They keep their values. The segment keeps its
  /// memory and can still be used; see Segment::part. @collective
  /// @throws UsageError on every rank if the slices are too small for the layout, `offset` is no multiple of
  /// 16 and of the elements' alignment, or ranks disagree. It is also thrown if the options have another domain
  /// than the segment (a group on one node has cpu anyway)
  Array(const Segment& memory, index_t offset, const Layout<N>& layout, const ArrayOptions<N>& options = {})
      : core_({memory,
               offset,
               detail::layout_with_ghosts(layout, options),
               {element_kind<T>(), sizeof(T)},
               {options.name, options.domain, periodic(options), alignof(T)}}) {}
  /// An array of the same group, layout, type, ghost cells and atomic domain; its elements are unspecified.
  /// @collective
  Array duplicate(std::string_view name) const {
    ArrayOptions<N> options{.name = name, .domain = core_->domain()};
    std::copy_n(core_->periodic().begin(), N, options.periodic.begin());
    return {group(), layout(), options};
  }
  /// Gives the array another layout; elements keep their values. Ghost cells are as wide as before unless the
  /// layout says otherwise, and must be updated. References to the array, such as slices, stay valid, but
  /// pointers to elements do not. Meanwhile it needs memory for a second array. @collective
  /// @throws UsageError if the layout has other extents, or cannot have the array's ghost cells; MemoryError.
  /// The array is then unchanged.
  void redistribute(const Layout<N>& layout);
  /// Completes all operations and frees the memory now. The destructor, by contrast, does not communicate. It
  /// leaves the memory to the group, which frees it at the next collective call on which all members agree.
  /// @collective
  void close() { core_->close(); }

  const Group& group() const noexcept { return core_->group(); }
  Layout<N> layout() const { return Layout<N>(core_->layout()); }
  Extents<N> dims() const;
  index_t size() const noexcept { return core_->layout().size(); }
  const std::string& name() const noexcept { return core_->name(); }
  /// The part that this rank owns; empty if none. @throws UsageError for layouts that give ranks several blocks
  /// (block-cyclic, tiles, lists of blocks). @local
  Patch<N> local_patch() const;

  /// The rank that owns an element. @local @throws UsageError outside the array
  int owner(const Index<N>& at) const { return core_->owner<static_cast<int>(N)>(at.data()); }

  /// A part of the array that may be passed wherever an array may. It is all of the array, a patch, or every
  /// steps[d]-th element of a patch along dimension d. @local @throws UsageError for a patch that leaves the
  /// array, or a step below 1
  Slice<T, N> slice();
  Slice<const T, N> slice() const;
  Slice<T, N> slice(const Patch<N>& patch);
  Slice<const T, N> slice(const Patch<N>& patch) const;
  Slice<T, N> slice(const Patch<N>& patch, const Extents<N>& steps);
  Slice<const T, N> slice(const Patch<N>& patch, const Extents<N>& steps) const;

  /// The slice that has only the dimensions given as `all` (tessera::placeholders::all). The others are held at
  /// an index: `t(i, all, j, all)` is a matrix of a tensor of four dimensions.
  /// @local @throws UsageError for an index outside
  template <class... I>
  detail::HeldSlice<T, N, I...> operator()(I... at);
  template <class... I>
  detail::HeldSlice<const T, N, I...> operator()(I... at) const;

  /// The array with a letter for the index of each dimension, for operations that say by names what they do:
  /// `contract(1, a("ik"), b("kj"), 0, c("ij"))`. @local @throws UsageError unless there is one letter for each
  /// dimension
  Indexed<T> operator()(std::string_view indices);
  Indexed<const T> operator()(std::string_view indices) const;

  /// Copies local elements to a patch. @onesided @throws UsageError if the patch leaves the array or the view
  /// has other extents. @completion `from` may be reused on return; done at the owners after flush().
  void put(const Patch<N>& patch, View<const T, N> from) {
    if (is_element(patch, from.extents())) return store(patch.lo, *from.data_handle());
    detail::put(*core_, box(patch), detail::buffer_of(from));
  }
  /// Copies a patch to local elements. @onesided @throws as put. @completion `into` is filled on return.
  void get(const Patch<N>& patch, View<T, N> into) const {
    if (is_element(patch, into.extents())) return void(*into.data_handle() = load(patch.lo));
    detail::get(*core_, box(patch), detail::buffer_of(into));
  }
  /// Gets the elements of a patch. @onesided
  LocalArray<T, N> get(const Patch<N>& patch) const;
  /// Begins to get the elements of a patch, into memory that comes with the transfer. @onesided @throws as get
  /// @completion filled when its wait() returns
  LocalTransfer<T, N> get_async(const Patch<N>& patch) const;
  /// Adds alpha times local elements to a patch; atomic per element against every other acc and fetch_add.
  /// @onesided
  /// @throws as put. @completion `from` may be reused on return; done at the owners after flush().
  void acc(const Patch<N>& patch, View<const T, N> from,
           std::type_identity_t<T> alpha = T{1}) requires Arithmetic<T> {
    detail::accumulate(*core_, box(patch), detail::buffer_of(from), &alpha);
  }

  /// Sets each element of a patch to the lesser (greater) of itself and the local element, or to NaN if either
  /// is NaN. (In AtomicDomain::mpi, MPI may lose a NaN.) Atomic as acc. @onesided
  void acc_min(const Patch<N>& patch, View<const T, N> from) requires RealElement<T> {
    detail::accumulate(*core_, box(patch), detail::buffer_of(from), Update::min);
  }
  void acc_max(const Patch<N>& patch, View<const T, N> from) requires RealElement<T> {
    detail::accumulate(*core_, box(patch), detail::buffer_of(from), Update::max);
  }

  /// put, get and acc without waiting. The local elements belong to the transfer until the request is done, or,
  /// after detach(), until the next flush() or sync(). @onesided
  Request put_async(const Patch<N>& patch, View<const T, N> from) {
    return detail::put_async(*core_, box(patch), detail::buffer_of(from));
  }
  Request get_async(const Patch<N>& patch, View<T, N> into) const {
    return detail::get_async(*core_, box(patch), detail::buffer_of(into));
  }
  Request acc_async(const Patch<N>& patch, View<const T, N> from,
                    std::type_identity_t<T> alpha = T{1}) requires Arithmetic<T> {
    return detail::accumulate_async(*core_, box(patch), detail::buffer_of(from), &alpha);
  }
  /// Puts, and then notifies a flag: a rank that waits for the flag sees the data. The flag's owner need not be
  /// an owner of the patch. @onesided @throws as put and Flags::notify.
  /// @completion `from` may be reused on return; done at the owners when the flag shows it.
  void put_notify(const Patch<N>& patch, View<const T, N> from, const Flag& flag) {
    detail::put_notify(*core_, box(patch), detail::buffer_of(from), flag);
  }

  /// put, get and acc of any patch of the array repeated without end in all directions. Coordinates may be
  /// negative, beyond the extents, or wrap around several times. Then the last put of an element stays, and
  /// every acc is added.
  /// @onesided @throws UsageError if the view has other extents, or the array no elements
  /// @completion as put, get and acc
  void put_periodic(const Patch<N>& patch, View<const T, N> from) {
    detail::put_periodic(*core_, box(patch), detail::buffer_of(from));
  }
  void get_periodic(const Patch<N>& patch, View<T, N> into) const {
    detail::get_periodic(*core_, box(patch), detail::buffer_of(into));
  }
  void acc_periodic(const Patch<N>& patch, View<const T, N> from,
                    std::type_identity_t<T> alpha = T{1}) requires Arithmetic<T> {
    detail::accumulate_periodic(*core_, box(patch), detail::buffer_of(from), &alpha);
  }

  /// put, get and acc of one member of each element of a patch, if elements are structures. @onesided @throws
  /// as put
  /// @completion as put, get and acc
  template <std::same_as<T> S, Element F>
  void put_field(const Patch<N>& patch, F S::*member, View<const std::type_identity_t<F>, N> from) {
    detail::put_field(*core_, box(patch), detail::field_of(member), detail::buffer_of(from));
  }
  template <std::same_as<T> S, Element F>
  void get_field(const Patch<N>& patch, F S::*member, View<std::type_identity_t<F>, N> into) const {
    detail::get_field(*core_, box(patch), detail::field_of(member), detail::buffer_of(into));
  }
  template <std::same_as<T> S, Arithmetic F>
  void acc_field(const Patch<N>& patch, F S::*member, View<const std::type_identity_t<F>, N> from,
                 std::type_identity_t<F> alpha = F{1}) {
    detail::accumulate_field(*core_, box(patch), detail::field_of(member), element_kind<F>(),
                             detail::buffer_of(from), &alpha);
  }

  /// Gets the elements at a list of positions, in the order of the list. @onesided
  /// @throws UsageError if the lists differ in length, a position is outside the array, or the batch is
  /// negative.
  /// @completion as get, put and acc
  void gather(std::span<const Index<N>> at, std::span<T> into, const VectorOptions& options = {}) const {
    detail::gather(*core_, detail::indices_of(at), into.data(),
                   detail::list_length(*core_, at.size(), into.size()), options);
  }
  /// Sets the elements at a list of positions. If a position is listed twice, the last value stays
  /// (VectorMethod says for which methods).
  void scatter(std::span<const Index<N>> at, std::span<const T> from, const VectorOptions& options = {}) {
    detail::scatter(*core_, detail::indices_of(at), from.data(),
                    detail::list_length(*core_, at.size(), from.size()), options);
  }
  /// Adds alpha times the values to the elements at a list of positions. A position that is listed twice is
  /// added to twice.
  void scatter_acc(std::span<const Index<N>> at, std::span<const T> from, std::type_identity_t<T> alpha = T{1},
                   const VectorOptions& options = {}) requires Arithmetic<T> {
    detail::scatter_accumulate(*core_, detail::indices_of(at), from.data(), &alpha,
                               detail::list_length(*core_, at.size(), from.size()), options);
  }

  /// Gets one element. @onesided @throws UsageError outside the array.
  T load(const Index<N>& at) const;
  /// Sets one element. @onesided @completion done at the owner after flush().
  void store(const Index<N>& at, const T& value);
  /// Atomically adds to one element and returns what was there. @onesided @completion done on return.
  T fetch_add(const Index<N>& at, std::type_identity_t<T> value) requires Arithmetic<T> {
    return fetch_op(at, Update::sum, value);
  }
  /// Atomically updates one element and returns what was there. @onesided @completion done on return.
  /// @throws UsageError outside the array, or for an update that T does not have
  T fetch_op(const Index<N>& at, Update update, std::type_identity_t<T> value) requires Arithmetic<T>;
  /// Atomically sets one element and returns what was there. @onesided @completion done on return.
  T exchange(const Index<N>& at, std::type_identity_t<T> value) requires Arithmetic<T> {
    return fetch_op(at, Update::replace, value);
  }
  /// Atomically sets one element to `desired` if it is `expected`, and returns whether it has. `expected`
  /// becomes what was there. @onesided @throws as Segment::compare_exchange. @completion done on return.
  bool compare_exchange(const Index<N>& at, T& expected,
                        std::type_identity_t<T> desired) requires IntegerElement<T> {
    return core_->template compare_exchange<static_cast<int>(N)>(at.data(), &expected, &desired);
  }

  /// One element as a plain pointer if its owner is on this node, null if not. For code that reads many
  /// scattered elements: it is faster than load(), as nothing is counted. The caller must synchronise with the
  /// writes of others. @local @throws UsageError outside the array
  T* address(const Index<N>& at) const {
    return static_cast<T*>(core_->template address<static_cast<int>(N)>(at.data()));
  }

  /// Returns when all of this process's operations on the array are done at their targets. @onesided
  void flush() const { core_->flush(); }
  /// The same for the elements that `rank` owns. @onesided
  void flush(int rank) const { core_->flush(rank); }
  /// Completes the operations of all processes, and makes them visible to all. @collective
  void sync() const { core_->sync(); }

  /// What this process has done to the array. @local
  Statistics statistics() const { return core_->statistics(); }

  /// Direct access to the elements this rank owns, until the result is released or destroyed. It is a View of
  /// the block, or of the whole local storage if the layout is block-cyclic. @local
  /// @throws UsageError if the rank's elements are not one array (several tiles, or several blocks of a list).
  /// In builds with TESSERA_CHECKS, it is also thrown if another access for writing to any of them has not been
  /// released
  LocalAccess<T, N> local();
  LocalAccess<const T, N> local() const;
  /// The same with the ghost cells around the block. With widths g, h, ..., its element (i, j, ...) is element
  /// (i - g, j - h, ...) of the block. @local @throws as local()
  LocalAccess<T, N> local_with_ghosts();
  LocalAccess<const T, N> local_with_ghosts() const;
  /// Block b of this rank, which is the patch layout().block(rank, b), of any layout. @local
  /// @throws UsageError if it has no such block; or as local()
  LocalAccess<T, N> local_block(index_t b);
  LocalAccess<const T, N> local_block(index_t b) const;
  /// A block of any rank on this node, without copying. The caller must synchronise with the writes of its
  /// owner. @local
  /// @throws UsageError if there is no such block, or its rank is on another node
  LocalAccess<const T, N> block_of(int rank, index_t b = 0) const;

  /// Fills the ghost cells with the current values of their elements. It returns when this rank's ghost cells
  /// are filled and its own elements may be changed. There is no barrier: a rank waits only for ranks it shares
  /// cells with. Elements must not be written meanwhile. Without corners, cells that are beside the block in
  /// more than one dimension are not touched. Cells beyond the ends of a dimension that is not periodic are not
  /// touched either. @collective
  /// @throws UsageError if the array has no ghost cells or another update is under way
  void update_ghosts(Corners corners = Corners::with, GhostMethod method = GhostMethod::automatic) {
    detail::update_ghosts(*core_, {.corners = corners}, method);
  }
  /// The same for the ghost cells on one side of a dimension, or on both. With corners, cells that are beside
  /// the block in other dimensions too are included. @collective
  /// @throws as above, and UsageError if there is no such dimension
  void update_ghosts_along(int dimension, Side side = Side::both, Corners corners = Corners::without);
  /// Begins to fill the ghost cells. No rank may change elements or read ghost cells before it has waited for
  /// the result. @collective @throws as update_ghosts
  GhostUpdate update_ghosts_async(Corners corners = Corners::with) {
    detail::begin_update_ghosts(*core_, {.corners = corners});
    return GhostUpdate(*core_);
  }

  /// The compiled array behind the type; for Tessera's own modules. @local
  detail::ArrayCore& core() noexcept { return *core_; }
  const detail::ArrayCore& core() const noexcept { return *core_; }
  /// The owner of the core, for references to the array itself rather than to the elements that it has now.
  /// @local
  detail::CoreOwner& core_owner() noexcept { return core_; }

 private:
  // Whether a patch and the extents of a view both have exactly one element.
  static bool is_element(const Patch<N>& patch, const Extents<N>& extents) noexcept {
    bool one = true;
    for (std::size_t d = 0; d < N; ++d) one &= patch.hi[d] - patch.lo[d] == 1 && extents[d] == 1;
    return one;
  }
  // Builds the Lattice in place as the argument: copying a struct just after its members are stored stalls on
  // store forwarding.
  static detail::Lattice box(const Patch<N>& patch) { return detail::box_of<detail::Lattice>(patch); }
  static detail::Periodic periodic(const ArrayOptions<N>& options) {
    detail::Periodic all{};
    std::copy_n(options.periodic.begin(), N, all.begin());
    return all;
  }
  template <class U>
  LocalAccess<U, N> access_all(bool with_ghosts) const;
  template <class U>
  LocalAccess<U, N> access_block(int rank, index_t b) const;

  detail::CoreOwner core_;
};

}  // namespace tessera

#include <tessera/detail/array_members.hpp>
#include <tessera/slice.hpp>
