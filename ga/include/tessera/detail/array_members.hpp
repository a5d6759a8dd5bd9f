// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <string>

#include <tessera/array.hpp>

// The members of Array that are not defined in its class.
namespace tessera {

template <Element T, std::size_t N>
Extents<N> Array<T, N>::dims() const {
  Extents<N> dims;
  for (std::size_t d = 0; d < N; ++d) dims[d] = core_->layout().dims()[d];
  return dims;
}

template <Element T, std::size_t N>
Patch<N> Array<T, N>::local_patch() const {
  if (!core_->layout().has_single_blocks()) {
    throw UsageError("local_patch of array \"" + name() +
                     "\": this layout gives ranks many patches; use layout().block(rank, b)");
  }
  const detail::Box& own = core_->own_block();
  Patch<N> patch;
  for (std::size_t d = 0; d < N; ++d) {
    patch.lo[d] = own.lo[d];
    patch.hi[d] = own.hi[d];
  }
  return patch;
}

template <Element T, std::size_t N>
LocalArray<T, N> Array<T, N>::get(const Patch<N>& patch) const {
  detail::require_inside(core_->layout(), box(patch), name());  // before memory is allocated for it
  LocalArray<T, N> elements(patch.extents());
  get(patch, elements);
  return elements;
}

template <Element T, std::size_t N>
LocalTransfer<T, N> Array<T, N>::get_async(const Patch<N>& patch) const {
  detail::require_inside(core_->layout(), box(patch), name());
  LocalTransfer<T, N> transfer{LocalArray<T, N>(patch.extents())};
  transfer.request = get_async(patch, transfer.data);
  return transfer;
}

template <Element T, std::size_t N>
T Array<T, N>::load(const Index<N>& at) const {
  T value;
  core_->template load<sizeof(T), static_cast<int>(N)>(at.data(), &value);
  return value;
}

template <Element T, std::size_t N>
void Array<T, N>::store(const Index<N>& at, const T& value) {
  core_->template store<sizeof(T), static_cast<int>(N)>(at.data(), &value);
}

template <Element T, std::size_t N>
T Array<T, N>::fetch_op(const Index<N>& at, Update update,
                        std::type_identity_t<T> value) requires Arithmetic<T> {
  T old;
  core_->template fetch_op<static_cast<int>(N)>(at.data(), update, &value, &old);
  return old;
}

template <Element T, std::size_t N>
template <class U>
LocalAccess<U, N> Array<T, N>::access_all(bool with_ghosts) const {
  core_->require_one_array();
  const detail::LayoutCore& layout = core_->layout();
  const detail::LocalShape& shape = core_->local_shape();
  const index_t blocks = layout.block_count(group().rank());
  const detail::Coordinates& lo = core_->own_block().lo;
  Extents<N> extents;
  std::array<index_t, N> strides{};
  Index<N> first;
  for (std::size_t d = 0; d < N; ++d) {
    const index_t ghosts = with_ghosts && shape.size > 0 ? layout.ghosts()[d] : 0;
    extents[d] = shape.extents[d] + 2 * ghosts;
    strides[d] = shape.strides[d];
    first[d] = lo[d] - ghosts;
  }
  U* const data = static_cast<U*>(core_->local_data()) + (with_ghosts ? 0 : shape.offset);
  return {*core_, detail::ArrayCore::all_blocks, View<U, N>(data, extents, strides),
          blocks > 1 ? std::optional<Index<N>>() : first};
}

template <Element T, std::size_t N>
template <class U>
LocalAccess<U, N> Array<T, N>::access_block(int rank, index_t b) const {
  const detail::Piece piece = core_->stored_block(rank, b);
  Extents<N> extents;
  std::array<index_t, N> strides{};
  Index<N> first;
  for (std::size_t d = 0; d < N; ++d) {
    extents[d] = piece.box.hi[d] - piece.box.lo[d];
    strides[d] = piece.strides[d];
    first[d] = piece.box.lo[d];
  }
  return {*core_, b, View<U, N>(static_cast<U*>(core_->storage(rank)) + piece.offset, extents, strides), first};
}

template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local() {
  return access_all<T>(false);
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local() const {
  return access_all<const T>(false);
}
template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local_with_ghosts() {
  return access_all<T>(true);
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local_with_ghosts() const {
  return access_all<const T>(true);
}
template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local_block(index_t b) {
  return access_block<T>(group().rank(), b);
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local_block(index_t b) const {
  return access_block<const T>(group().rank(), b);
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::block_of(int rank, index_t b) const {
  return access_block<const T>(rank, b);
}

template <Element T, std::size_t N>
void Array<T, N>::update_ghosts_along(int dimension, Side side, Corners corners) {
  if (dimension < 0 || dimension >= static_cast<int>(N)) {
    throw UsageError("update_ghosts_along: array \"" + name() + "\" has no dimension " +
                     std::to_string(dimension) + "; its dimensions are 0 to " + std::to_string(N - 1));
  }
  detail::update_ghosts(*core_, {dimension, side, corners}, GhostMethod::all_at_once);
}

}  // namespace tessera
