// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <type_traits>

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>
#include <tessera/detail/field_transfers.hpp>

namespace tessera::detail {

/// Moves a piece of a patch. It gets the owner, the byte offset where the piece begins there, its shape, and
/// where it begins in the buffer, in fields.
using Transfer = std::function<void(int rank, index_t offset, const Strided& shape, index_t before)>;

/// Calls f for the pieces of a patch, in the order of increasing indices, with one field of each element. The
/// strides of the buffer are in fields. @local @throws UsageError if the patch is not inside the array, or the
/// buffer has other extents
void for_each_transfer(const ArrayCore& array, const Lattice& patch, const Field& field, const index_t* extents,
                       const index_t* strides, const Transfer& f);

/// The same with f(rank, byte offset, shape, local pointer). @local @throws as above, and for a closed array
template <class Pointer, class F>
void for_each_transfer(const ArrayCore& array, const Lattice& patch, const Field& field,
                       const Buffer<Pointer>& buffer, F&& f) {
  if (array.segment().face().direct_ranks == 0) array.require_open();
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  auto* const data = static_cast<Byte*>(buffer.data);
  const auto transfer = [&](int rank, index_t offset, const Strided& shape, index_t before) {
    f(rank, offset, shape, data + before * field.size);
  };
  for_each_transfer(array, patch, field, buffer.extents, buffer.strides, std::cref(transfer));
}
template <class Pointer, class F>
void for_each_transfer(const ArrayCore& array, const Lattice& patch, const Buffer<Pointer>& buffer, F&& f) {
  for_each_transfer(array, patch, {0, array.type().size}, buffer, f);
}

/// Gets one field of each element of a patch. @onesided
void fetch(const ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<void*>& into);

}  // namespace tessera::detail
