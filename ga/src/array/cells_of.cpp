// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/cells_of.hpp>

#include "base/at.hpp"
#include "format.hpp"

namespace tessera::detail {

CellsCore find_cells(const SliceCore& slice, std::string_view call) {
  const ArrayCore& array = slice.array();
  array.require_open();
  array.require_one_array();
  const std::optional<Box> patch = slice.as_patch();
  const LayoutCore& layout = array.layout();
  bool fits = patch.has_value();
  for (int d = 0; fits && d < slice.rank(); ++d) {
    const bool is_all = patch->lo[at(d)] == 0 && patch->hi[at(d)] == layout.dims()[at(d)];
    fits = is_all || layout.ghosts()[at(d)] == 0;
  }
  const index_t blocks = layout.block_count(array.group().rank());
  if (!fits || blocks > 1) {
    throw UsageError(formatted(
        "{} of {}: {}", call, slice.description(),
        fits ? "this rank has several blocks"
             : "the slice is permuted, stepped, or cut where there are ghost cells; take an array, a member or "
               "components"));
  }
  CellsCore cells{};
  if (blocks == 0) return cells;
  const Box own = layout.block(array.group().rank(), 0).box;
  const LocalShape& shape = array.local_shape();
  const index_t per_element = array.type().size / slice.type().size;
  index_t offset = 0;
  for (int d = 0; d < slice.rank(); ++d) {
    const index_t ghosts = layout.ghosts()[at(d)];
    cells.block.lo[at(d)] = std::max(own.lo[at(d)], patch->lo[at(d)]);
    cells.block.hi[at(d)] = std::max(cells.block.lo[at(d)], std::min(own.hi[at(d)], patch->hi[at(d)]));
    cells.all.lo[at(d)] = cells.block.lo[at(d)] - ghosts;
    cells.all.hi[at(d)] = cells.block.hi[at(d)] + ghosts;
    offset += (cells.block.lo[at(d)] - own.lo[at(d)]) * shape.strides[at(d)];
    cells.strides[at(d)] = shape.strides[at(d)] * per_element;
  }
  cells.data = static_cast<std::byte*>(array.local_data()) + offset * array.type().size + slice.field().offset;
  return cells;
}

void throw_thin_block(const SliceCore& slice, int dimension, index_t there, index_t needed) {
  throw UsageError(
      formatted("a boundary condition of {} mirrors {} elements of dimension {}, and the block of rank {} "
                "has only {}; give it min_block",
                slice.description(), needed, dimension, slice.array().group().rank(), there));
}

}  // namespace tessera::detail
