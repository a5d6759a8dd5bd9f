// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/box.hpp>
#include <tessera/view.hpp>

namespace tessera::detail {

/// Local memory with a run-time number of dimensions: the run-time form of a View. Strides are in elements.
template <class Pointer>
struct Buffer {
  Pointer data;
  const index_t* extents;
  const index_t* strides;
};

/// A view as a buffer. @local
template <class T, std::size_t N>
Buffer<const void*> buffer_of(const View<const T, N>& view) {
  return {view.data_handle(), view.extents().data(), view.strides().data()};
}
template <class T, std::size_t N>
Buffer<void*> buffer_of(const View<T, N>& view) {
  return {view.data_handle(), view.extents().data(), view.strides().data()};
}

}  // namespace tessera::detail
