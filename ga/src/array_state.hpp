// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include <tessera/detail/array_core.hpp>
#include <tessera/detail/node_cache.hpp>
#include <tessera/layout.hpp>

#include "format.hpp"
#include "patch_text.hpp"

// What only the files that make up ArrayCore see of it.
namespace tessera::detail {

struct ArrayCore::Scopes {
  std::mutex mutex;
  std::vector<index_t> written;  // blocks, or all_blocks
};

struct ArrayCore::Epoch {
  bool active = false, caches = false;
  Mode mode = Mode::read_only;
  std::uint64_t number = 0;
  std::unique_ptr<NodeCache> cache;
  index_t cache_bytes = 0;
  std::vector<OwnedBox> written;  // by this rank
};

// Checks patch and buffer, and calls f(rank, byte offset, shape, local pointer) for the part of each owner.
template <class Pointer, class F>
void ArrayCore::for_each_transfer(const Lattice& patch, const Field& field, const Buffer<Pointer>& buffer,
                                  F&& f) const {
  if (segment_.face().direct_ranks == 0) require_open();
  if (!is_inside(layout_, patch)) throw_bad_patch(layout_, patch, name());
  for (int d = 0; d < rank(); ++d) {
    const index_t extent = patch.extent(static_cast<std::size_t>(d));
    if (buffer.extents[d] == extent) continue;
    throw UsageError(
        formatted("a view of extents {} does not fit patch {} of array \"{}\" (dimension {} has {} elements)",
                  extents_text(buffer.extents, rank()), patch_text(patch, rank()), name(), d, extent));
  }
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  layout_.for_each_piece(patch, [&](const Piece& piece) {
    Strided shape;
    shape.run = field.size;
    index_t skipped = 0, offset = piece.offset;
    for (int d = rank() - 1; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      index_t before = piece.box.lo[i] - patch.lo[i], count = piece.box.hi[i] - piece.box.lo[i], step = 1;
      if (patch.stepped) {
        // The first element of the lattice that is in the piece, and how many are.
        step = patch.step[i];
        const index_t first = (before + step - 1) / step, into = first * step - before;
        if (into >= count) return;
        offset += into * piece.strides[i];
        count = (count - into + step - 1) / step;
        before = first;
      }
      skipped += before * buffer.strides[d];
      if (count == 1) continue;
      const index_t there = step * piece.strides[i] * type_.size, here = buffer.strides[d] * field.size;
      if (shape.levels == 0 && there == shape.run && here == shape.run) {
        shape.run *= count;
        continue;
      }
      const auto level = static_cast<std::size_t>(shape.levels++);
      shape.count[level] = count;
      shape.remote_stride[level] = there;
      shape.local_stride[level] = here;
    }
    f(piece.rank, offset * type_.size + field.offset, shape,
      static_cast<Byte*>(buffer.data) + skipped * field.size);
  });
}

}  // namespace tessera::detail
