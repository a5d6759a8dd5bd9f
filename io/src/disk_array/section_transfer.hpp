// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/box.hpp>
#include <tessera/runtime/types.hpp>

#include "disk_array/disk_places.hpp"
#include "disk_array/run_transfer.hpp"

namespace tessera::io::detail {

/// Local memory of a section: its first element, and the bytes between neighbours along each dimension.
struct SectionMemory {
  std::byte* data;
  tessera::detail::Coordinates strides;
};
/// Dense row-major memory of a box. @local
SectionMemory dense_memory(const tessera::detail::Box& box, std::size_t rank, index_t element_bytes,
                           std::byte* data);

/// A file with the elements of a disk array.
struct SectionFile {
  const Descriptor& file;
  const DiskPlaces& places;
  const std::vector<index_t>& dims;
};
/// Moves a box between memory and the file, through a buffer of at most `buffer` bytes, or directly. The memory
/// is only read if the direction is write. @local @throws IoError if the system refuses; part of the box may
/// have been moved
void move_section(DiskDirection direction, const SectionFile& file, const tessera::detail::Box& box,
                  const SectionMemory& memory, index_t buffer);

}  // namespace tessera::io::detail
