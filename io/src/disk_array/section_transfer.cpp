// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "disk_array/section_transfer.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;

constexpr index_t most_room = index_t{1} << 18;  // stays in a core's cache between copy and system call

// Moves the part of a section in one tile. A run has the last dimensions that are contiguous in the tile and in
// memory.
void move_part(RunTransfer& runs, const Box& part, std::size_t rank, index_t element_bytes,
               const Coordinates& in_file, const Coordinates& in_memory, index_t offset, std::byte* data) {
  std::size_t outer = rank;
  index_t run = element_bytes;
  for (; outer > 0; --outer) {
    const std::size_t d = outer - 1;
    const index_t extent = part.hi[d] - part.lo[d];
    if (extent != 1 && (in_file[d] != run || in_memory[d] != run)) break;
    run *= extent;
  }
  for (Coordinates at = part.lo;;) {
    runs.add(offset, data, run);
    std::size_t d = outer;
    for (; d > 0; --d) {
      offset += in_file[d - 1], data += in_memory[d - 1];
      if (++at[d - 1] < part.hi[d - 1]) break;
      const index_t extent = part.hi[d - 1] - part.lo[d - 1];
      offset -= extent * in_file[d - 1], data -= extent * in_memory[d - 1];
      at[d - 1] = part.lo[d - 1];
    }
    if (d == 0) return;
  }
}

}  // namespace

SectionMemory dense_memory(const Box& box, std::size_t rank, index_t element_bytes, std::byte* data) {
  SectionMemory memory{data, {}};
  for (std::size_t d = rank; d-- > 0;) {
    memory.strides[d] = element_bytes;
    element_bytes *= box.hi[d] - box.lo[d];
  }
  return memory;
}

void move_section(DiskDirection direction, const SectionFile& file, const Box& box, const SectionMemory& memory,
                  index_t buffer) {
  const std::size_t rank = file.dims.size();
  Coordinates in_file;
  index_t row = file.places.element_bytes;
  for (std::size_t d = rank; d-- > 0; row *= file.places.tile[d]) in_file[d] = row;
  RunTransfer runs(direction, file.file, std::min(buffer, most_room));
  for_each_tile_in(file.places, file.dims, box, [&](const Box& part, const Coordinates& tile, index_t offset) {
    std::byte* data = memory.data;
    for (std::size_t d = 0; d < rank; ++d) {
      offset += (part.lo[d] - tile[d]) * in_file[d];
      data += (part.lo[d] - box.lo[d]) * memory.strides[d];
    }
    move_part(runs, part, rank, file.places.element_bytes, in_file, memory.strides, offset, data);
  });
  runs.finish();
}

}  // namespace tessera::io::detail
