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
  return layout().block(group().rank());
}

template <Element T, std::size_t N>
LocalArray<T, N> Array<T, N>::get(const Patch<N>& patch) const {
  detail::require_inside(core_->layout(), box(patch), name());  // before memory is allocated for it
  LocalArray<T, N> elements(patch.extents());
  get(patch, elements);
  return elements;
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
View<U, N> Array<T, N>::local_view(bool with_ghosts) const {
  core_->require_one_array();
  const detail::LocalShape& shape = core_->local_shape();
  Extents<N> extents;
  std::array<index_t, N> strides{};
  for (std::size_t d = 0; d < N; ++d) {
    extents[d] = shape.extents[d] + (with_ghosts ? 2 * core_->layout().ghosts()[d] : 0);
    strides[d] = shape.strides[d];
  }
  return {static_cast<U*>(core_->local_data()) + (with_ghosts ? 0 : shape.offset), extents, strides};
}

template <Element T, std::size_t N>
template <class U>
View<U, N> Array<T, N>::block_view(int rank, index_t b) const {
  const detail::Piece piece = core_->stored_block(rank, b);
  Extents<N> extents;
  std::array<index_t, N> strides{};
  for (std::size_t d = 0; d < N; ++d) {
    extents[d] = piece.box.hi[d] - piece.box.lo[d];
    strides[d] = piece.strides[d];
  }
  return {static_cast<U*>(core_->storage(rank)) + piece.offset, extents, strides};
}

template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local() {
  return {*core_, detail::ArrayCore::all_blocks, local_view<T>(false)};
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local() const {
  return {*core_, detail::ArrayCore::all_blocks, local_view<const T>(false)};
}
template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local_with_ghosts() {
  return {*core_, detail::ArrayCore::all_blocks, local_view<T>(true)};
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local_with_ghosts() const {
  return {*core_, detail::ArrayCore::all_blocks, local_view<const T>(true)};
}
template <Element T, std::size_t N>
LocalAccess<T, N> Array<T, N>::local_block(index_t b) {
  return {*core_, b, block_view<T>(group().rank(), b)};
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::local_block(index_t b) const {
  return {*core_, b, block_view<const T>(group().rank(), b)};
}
template <Element T, std::size_t N>
LocalAccess<const T, N> Array<T, N>::block_of(int rank, index_t b) const {
  return {*core_, b, block_view<const T>(rank, b)};
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
