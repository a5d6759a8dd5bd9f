// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/linalg/index_symmetry.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// Options of a new block tensor; the same on every rank.
template <std::size_t N>
struct BlockTensorOptions {
  std::string_view name = "unnamed";
  /// Dimensions that may be exchanged. Blocks that are images of each other are stored once.
  std::vector<IndexSymmetry> symmetries = {};
  /// Whether the block at a place among the blocks may be other than zero; all blocks if not given. Of blocks
  /// that are images of each other, it is asked for one: the one whose places fall along symmetric dimensions.
  /// A block that antisymmetry makes zero, such as one of one element on the diagonal, is absent all the same.
  std::function<bool(const Index<N>&)> is_stored = {};
};

template <MatrixElement T>
class BlockOperand;
template <class T>
class IndexedBlocks;

namespace detail {

class BlockMap;

/// A block tensor with run-time rank and element type.
class BlockTensorCore {
 public:
  /// @collective
  BlockTensorCore(const Group& group, std::shared_ptr<const BlockMap> map, ElementKind kind);

  const BlockMap& map() const {
    if (!map_) throw_moved();
    return *map_;
  }
  tessera::detail::ArrayCore& elements() const {
    if (!elements_) throw_moved();
    return *elements_;
  }
  bool has(const tessera::detail::Coordinates& at) const;
  int owner(const tessera::detail::Coordinates& at) const;
  tessera::detail::Coordinates extents() const;
  tessera::detail::Box box(const tessera::detail::Coordinates& at) const;
  /// Buffers have the extents of the block. @onesided
  void put(const tessera::detail::Coordinates& at, const tessera::detail::Buffer<const void*>& from) const;
  void get(const tessera::detail::Coordinates& at, const tessera::detail::Buffer<void*>& into) const;
  void accumulate(const tessera::detail::Coordinates& at, const tessera::detail::Buffer<const void*>& from,
                  const void* alpha) const;
  /// The same for the slice of an array, block by block. @collective
  void copy_from(const tessera::detail::SliceCore& array) const;
  void copy_to(const tessera::detail::SliceCore& array) const;
  void dot(const BlockTensorCore& other, void* result) const;
  /// Calls f(place, data) for the blocks that this rank stores. @local
  void for_each_own_block(
      const std::function<void(const tessera::detail::Coordinates& at, void* data)>& f) const;

 private:
  [[noreturn]] static void throw_moved();

  std::shared_ptr<const BlockMap> map_;
  std::shared_ptr<tessera::detail::ArrayCore> elements_;
};

/// @collective @throws on every rank if `is_stored` throws on one, or ranks give other blocks
std::shared_ptr<const BlockMap> make_block_map(
    const Group& group, std::string_view name, std::vector<std::vector<index_t>> lengths,
    std::vector<IndexSymmetry> symmetries,
    const std::function<bool(const tessera::detail::Coordinates&)>& is_stored);

}  // namespace detail

/// A distributed tensor of dense blocks. Absent blocks are zero, and take no memory, no work and no messages.
/// Blocks that are images of each other by symmetry are stored once. Each stored block lies at one process, in
/// row-major order; each process stores about as many elements. The list of blocks is on every process.
/// Move-only.
template <MatrixElement T, std::size_t N>
class BlockTensor {
 public:
  /// Elements are zero at first. lengths[d] are the lengths of the blocks along dimension d. @collective
  /// @throws UsageError on every rank if a length is not positive, symmetric dimensions are cut differently, or
  /// ranks give other blocks; an error on every rank if is_stored throws on one
  BlockTensor(const Group& group, const std::array<std::vector<index_t>, N>& lengths,
              const BlockTensorOptions<N>& options = {})
      : core_(group,
              detail::make_block_map(group, options.name, {lengths.begin(), lengths.end()}, options.symmetries,
                                     is_stored(options)),
              element_kind<T>()) {}
  BlockTensor(BlockTensor&&) noexcept = default;
  BlockTensor& operator=(BlockTensor&&) noexcept = default;

  const Group& group() const { return core_.elements().group(); }
  Extents<N> dims() const { return Extents<N>(head(core_.extents())); }
  /// The number of elements that are stored. @local
  index_t stored_size() const { return core_.elements().layout().size(); }
  /// Whether a block may be other than zero. Here and below, blocks are named by their place among the blocks.
  /// @local
  /// @throws UsageError if there is no such place
  bool has(const Index<N>& block) const { return core_.has(place(block)); }
  /// The rank that stores a block, or the block that it is an image of; -1 if it is absent. @local
  int owner(const Index<N>& block) const { return core_.owner(place(block)); }
  /// Where a block is in the tensor. @local
  Patch<N> patch(const Index<N>& block) const {
    const tessera::detail::Box box = core_.box(place(block));
    return {Index<N>(head(box.lo)), Index<N>(head(box.hi))};
  }

  /// Copies local elements to a block. Elements of images follow by symmetry; so a block on a diagonal must
  /// have the symmetry itself. @onesided @throws UsageError if the block is absent, or the view has other
  /// extents
  /// @completion `from` may be reused on return; done at the owner after sync().
  void put(const Index<N>& block, View<const T, N> from) {
    core_.put(place(block), tessera::detail::buffer_of(from));
  }
  /// Copies a block to local elements; zeros if it is absent. @onesided @throws UsageError if the view has
  /// other extents @completion `into` is filled on return.
  void get(const Index<N>& block, View<T, N> into) const {
    core_.get(place(block), tessera::detail::buffer_of(into));
  }
  LocalArray<T, N> get(const Index<N>& block) const {
    LocalArray<T, N> elements(patch(block).extents());
    get(block, elements);
    return elements;
  }
  /// Adds alpha times local elements to a block, atomically for each element. @onesided @throws and @completion
  /// as put
  void acc(const Index<N>& block, View<const T, N> from, std::type_identity_t<T> alpha = T{1}) {
    core_.accumulate(place(block), tessera::detail::buffer_of(from), &alpha);
  }
  /// Completes the operations of all processes, and makes them visible to all. @collective
  void sync() const { core_.elements().sync(); }

  /// Calls f(block, view) for the blocks that this process stores, where they are. Synchronise before and
  /// after.
  /// @local
  template <class F>
  requires std::invocable < F&, const Index<N>
  &, const View<T, N>& > void for_each_own_block(F&& f) {
    core_.for_each_own_block([&](const tessera::detail::Coordinates& at, void* data) {
      const Index<N> block(head(at));
      f(block, View<T, N>(static_cast<T*>(data), patch(block).extents()));
    });
  }
  /// The stored elements of all blocks as one vector, for operations that treat all alike, such as axpby,
  /// scale, norm_inf or Diis. The other tensor has equal blocks. Images are not in the vector, so norms and
  /// scalar products do not count them; dot() of block tensors does. @local
  Slice<T, 1> elements() { return Slice<T, 1>(tessera::detail::SliceCore(core_.elements())); }
  Slice<const T, 1> elements() const { return Slice<const T, 1>(tessera::detail::SliceCore(core_.elements())); }

  /// Copies the stored blocks from an array. Elements of absent blocks and of images are not looked at, so that
  /// nobody checks whether they fit. @collective @throws UsageError if the extents differ, or the array is of
  /// elements()
  template <tessera::Operand A>
  requires std::is_same_v<value_t<A>, T>
  void copy_from(const A& array) { core_.copy_from(slice_of(array).core()); }
  /// Sets an array to all elements, with zeros for absent blocks. @collective @throws UsageError if the extents
  /// differ, or the array is of elements()
  template <WritableOperand A>
  requires std::is_same_v<value_t<A>, T>
  void copy_to(A&& array) const { core_.copy_to(slice_of(array).core()); }

  /// The tensor with a letter for the index of each dimension, for contract(). @local @throws UsageError unless
  /// there is one letter for each dimension
  IndexedBlocks<T> operator()(std::string_view indices);
  IndexedBlocks<const T> operator()(std::string_view indices) const;
  /// Frees the memory now. @collective
  void close() { core_.elements().close(); }

  /// The compiled tensor behind the type; for Tessera's own modules. @local
  const detail::BlockTensorCore& core() const noexcept { return core_; }

 private:
  static std::function<bool(const tessera::detail::Coordinates&)> is_stored(
      const BlockTensorOptions<N>& options) {
    if (!options.is_stored) return {};
    return [f = options.is_stored](const tessera::detail::Coordinates& at) { return f(Index<N>(head(at))); };
  }
  static std::array<index_t, N> head(const tessera::detail::Coordinates& all) {
    std::array<index_t, N> first{};
    std::copy_n(all.begin(), N, first.begin());
    return first;
  }
  static tessera::detail::Coordinates place(const Index<N>& block) {
    tessera::detail::Coordinates at{};
    std::copy_n(block.begin(), N, at.begin());
    return at;
  }

  detail::BlockTensorCore core_;
};

/// The sum of conj(x) y over all elements, with those of images counted. Both tensors have equal blocks and
/// symmetries. @collective @throws UsageError on every rank if they differ
template <MatrixElement T, std::size_t N>
T dot(const BlockTensor<T, N>& x, const BlockTensor<T, N>& y) {
  T result{};
  x.core().dot(y.core(), &result);
  return result;
}

}  // namespace tessera::linalg
