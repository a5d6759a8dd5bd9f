// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <span>

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>
#include <tessera/core/field.hpp>
#include <tessera/runtime/request.hpp>

namespace tessera::detail {

/// Local elements in N dimensions: where they are in a slice, and in memory. Strides are in elements.
struct LocalPiece {
  Box box;  // in the slice
  std::byte* data;
  Coordinates strides;
};

/// A part of an array that can be used like an array. It has some dimensions of the array, in any order, each
/// from some element on in steps. The other dimensions are held at one position. A value that points to its
/// array. Everything but the transfers is @local.
class SliceCore {
 public:
  /// The whole array. The typed interfaces decide what may be written through it.
  SliceCore(const ArrayCore& array);

  ArrayCore& array() const noexcept { return *array_; }
  /// The type of the slice's elements: that of the array's, or of a member of them. @local
  const ElementType& type() const noexcept { return type_; }
  int rank() const noexcept { return rank_; }
  const Coordinates& extents() const noexcept { return extents_; }
  index_t size() const noexcept;
  bool is_whole() const noexcept;

  /// A patch of the slice. @throws UsageError if it leaves the slice
  SliceCore patch(const Box& box) const;
  /// Every steps[d]-th element of dimension d, from the first on. @throws UsageError unless steps are positive
  SliceCore every(const index_t* steps) const;
  /// Dimension k of the result is dimension order[k]. @throws UsageError if `order` is no permutation
  SliceCore permuted(const int* order) const;
  /// The slice without dimension d, which is held at one position. @throws UsageError for a position outside,
  /// or if it is the only dimension
  SliceCore fixed(int d, index_t at) const;

  /// One member of each element. @throws UsageError if the size of the array's elements is no multiple of the
  /// member's
  SliceCore member(const Field& field, ElementKind kind) const;

  /// As the functions of patch_transfers.hpp; boxes and buffers are in dimensions of the slice. @onesided
  void put(const Box& box, const Buffer<const void*>& from) const;
  void get(const Box& box, const Buffer<void*>& into) const;
  void accumulate(const Box& box, const Buffer<const void*>& from, const void* alpha) const;
  Request put_async(const Box& box, const Buffer<const void*>& from) const;
  Request get_async(const Box& box, const Buffer<void*>& into) const;
  Request accumulate_async(const Box& box, const Buffer<const void*>& from, const void* alpha) const;

  /// All elements of the slice in an epoch of the array, as the functions of epoch_transfers.hpp. @onesided
  /// @throws UsageError for members of elements
  void get_in_epoch(const Buffer<void*>& into) const;
  void accumulate_in_epoch(const Buffer<const void*>& from, const void* alpha) const;
  void put_in_epoch(const Buffer<const void*>& from) const;

  /// Gets the elements of a vector at a list of positions, which must be inside. @onesided
  void gather(std::span<const index_t> positions, void* into) const;

  /// Calls f(LocalPiece) for the elements of a rank on this node that are in the slice. @local
  template <class F>
  void for_each_piece_of(int rank, F&& f) const;
  /// Calls f(rank, LocalPiece) for the pieces of a box; data is null for pieces on other nodes. @local
  template <class F>
  void for_each_piece(const Box& box, F&& f) const;
  /// Whether the same element of both slices always has the same place in the local storage of equal layouts,
  /// or is a member of the elements at these places.
  bool is_aligned_with(const SliceCore& other) const noexcept;
  /// Whether it is so, and these places are in the same memory: the arrays are one, or begin with the same
  /// byte.
  bool has_elements_in_the_places_of(const SliceCore& other) const noexcept;
  /// The patch of the array, if the slice has all elements of one in the array's order of dimensions. @local
  std::optional<Box> as_patch() const noexcept;
  /// What each element of the slice is in an element of the array. @local
  Field field() const noexcept { return {member_, type_.size}; }
  /// Whether the elements are members of the array's. @local
  bool is_of_members() const noexcept { return type_ != array_->type(); }
  /// Whether the slices may share elements. Of two arrays in one segment it is known only whether these do.
  bool may_overlap(const SliceCore& other) const noexcept;

  std::uint64_t fingerprint() const noexcept;
  /// "array "F"" or "slice [0:10:2, 5] of array "F"". @local
  std::string description() const;

 private:
  // A box in dimensions of the array, and the extents and strides of a buffer in these dimensions.
  struct Place {
    Lattice lattice;
    Coordinates extents, strides;
  };
  Lattice lattice(const Box& box) const;
  Place place(const Box& box, const index_t* extents, const index_t* strides) const;
  Place place_in_epoch(const index_t* extents, const index_t* strides) const;
  bool locate(const Piece& piece, LocalPiece& local) const;
  std::string dimensions() const;  // their numbers, for messages

  ArrayCore* array_;
  ElementType type_;
  index_t member_ = 0;  // where the slice's element begins in the array's, in bytes
  int rank_;
  Coordinates origin_{};   // in the array
  Coordinates extents_{};  // of the slice
  std::array<int, static_cast<std::size_t>(max_rank)>
      axis_{};  // the dimension of the array that each dimension runs along
  Coordinates step_{};
};

template <class F>
void SliceCore::for_each_piece_of(int rank, F&& f) const {
  const LayoutCore& layout = array_->layout();
  LocalPiece local;
  for (index_t b = 0; b < layout.block_count(rank); ++b) {
    if (locate(layout.block(rank, b), local)) f(static_cast<const LocalPiece&>(local));
  }
}

template <class F>
void SliceCore::for_each_piece(const Box& box, F&& f) const {
  LocalPiece local;
  SliceCore part = patch(box);
  array_->layout().for_each_piece(part.lattice({{}, part.extents_}), [&](const Piece& piece) {
    if (!part.locate(piece, local)) return;
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank_); ++k) {
      local.box.lo[k] += box.lo[k];
      local.box.hi[k] += box.lo[k];
    }
    f(piece.rank, static_cast<const LocalPiece&>(local));
  });
}

}  // namespace tessera::detail
