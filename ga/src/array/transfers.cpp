// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/transfers.hpp"

#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

[[noreturn]] void throw_misfit(const ArrayCore& array, const Lattice& patch, const index_t* extents) {
  const int rank = array.rank();
  if (!is_inside(array.layout(), patch)) throw_bad_patch(array.layout(), patch, array.name());
  std::size_t d = 0;
  while (extents[d] == patch.extent(d)) ++d;
  throw UsageError(
      formatted("a view of extents {} does not fit patch {} of array \"{}\" (dimension {} has {} elements)",
                extents_text(extents, rank), patch_text(patch, rank), array.name(), d, patch.extent(d)));
}

// For a layout of `known` dimensions, or of any number of them (0). A piece of few elements takes most of its
// time in loops over its dimensions.
template <int known>
void walk(const ArrayCore& array, const Lattice& patch, const Field& field, const index_t* extents,
          const index_t* strides, const Transfer& f) {
  const LayoutCore& layout = array.layout();
  const int rank = known > 0 ? known : layout.rank();
  const index_t size = array.type().size;
  const bool last_is_fastest = layout.storage() == StorageOrder::row_major;
  bool fits = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    fits &= patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] && patch.hi[d] <= layout.dims()[d];
    fits &= fits && extents[d] == patch.extent(d);
  }
  if (!fits) throw_misfit(array, patch, extents);
  layout.for_each_piece<known>(patch, [&](const Piece& piece) {
    Strided shape;
    shape.run = field.size;
    index_t before_all = 0, offset = piece.offset;
    for (int k = 0; k < rank; ++k) {
      const auto i = static_cast<std::size_t>(last_is_fastest ? rank - 1 - k : k);
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
      before_all += before * strides[i];
      if (count == 1) continue;
      const index_t there = step * piece.strides[i] * size, here = strides[i] * field.size;
      if (shape.levels == 0 && there == shape.run && here == shape.run) {
        shape.run *= count;
        continue;
      }
      const auto level = static_cast<std::size_t>(shape.levels++);
      shape.count[level] = count;
      shape.remote_stride[level] = there;
      shape.local_stride[level] = here;
    }
    f(piece.rank, offset * size + field.offset, shape, before_all);
  });
}

}  // namespace

void for_each_transfer(const ArrayCore& array, const Lattice& patch, const Field& field, const index_t* extents,
                       const index_t* strides, const Transfer& f) {
  switch (array.rank()) {
    case 1:
      return walk<1>(array, patch, field, extents, strides, f);
    case 2:
      return walk<2>(array, patch, field, extents, strides, f);
    case 3:
      return walk<3>(array, patch, field, extents, strides, f);
    case 4:
      return walk<4>(array, patch, field, extents, strides, f);
    default:
      return walk<0>(array, patch, field, extents, strides, f);
  }
}

// Pieces on other nodes are fetched together. The last one is a blocking get while the others are in flight,
// because a request costs more.
void fetch(const ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<void*>& into) {
  if (array.segment().face().direct_ranks == 0)
    array.require_open();  // the group of a moved-from array must not be used
  const SegmentAccess& face = array.segment().face();
  // The checker of conflicts is to see gets, and not requests.
  if (face.direct_ranks == array.group().size() || face.checked != 0) {
    return for_each_transfer(array, patch, field, into,
                             [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
                               array.segment().get(rank, offset, shape, local);
                             });
  }
  struct Far {
    int rank = -1;
    index_t offset;
    Strided shape;
    std::byte* local;
  } last;
  Request others;
  for_each_transfer(array, patch, field, into,
                    [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
                      if (array.segment().face().reach(rank, 0, 0) != nullptr)
                        return array.segment().get(rank, offset, shape, local);
                      if (last.rank >= 0)
                        others += array.segment().get_async(last.rank, last.offset, last.shape, last.local);
                      last = {rank, offset, shape, local};
                    });
  if (last.rank >= 0) array.segment().get(last.rank, last.offset, last.shape, last.local);
  others.wait();
}

}  // namespace tessera::detail
