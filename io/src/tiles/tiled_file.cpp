// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/tiled_file.hpp"

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "tiles/hdf5_raw.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t hdf5_bytes_of_file = 65536, hdf5_bytes_of_dataset = 16384;  // what HDF5 writes about them

}  // namespace

index_t make_tiled_file(const AtomicFile& atomic_file, index_t user_bytes, std::size_t datasets,
                        const std::function<void(const hdf5::File&)>& make) {
  // HDF5 does not survive running out of space. Creating truncates the file again, so this only checks the
  // space.
  atomic_file.reserve(user_bytes + hdf5_bytes_of_file + static_cast<index_t>(datasets) * hdf5_bytes_of_dataset);
  const hdf5::Silence silence;
  hdf5::File file = hdf5::create_alone(atomic_file.temporary(), user_bytes);
  try {
    make(file);
  } catch (...) {
    hdf5::abandon(std::move(file));
    throw;
  }
  hdf5::close(std::move(file));
  const index_t size = size_of_file(open_to_read(atomic_file.temporary()));
  atomic_file.reserve(size);
  return size;
}

index_t largest_size(std::span<const Entry> entries) {
  index_t bytes = hdf5_bytes_of_file;
  for (const Entry& entry : entries) bytes += entry.bytes() + hdf5_bytes_of_dataset;
  return bytes;
}

index_t share_places(const Group& group, std::vector<Entry>& entries) {
  std::vector<index_t> places;
  for (const Entry& entry : entries) {
    places.push_back(entry.offset);
    places.push_back(entry.size());
  }
  group.broadcast(std::span<index_t>(places), 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    Entry& entry = entries[e];
    entry.offset = places[2 * e];
    if (entry.kind != EntryKind::array && !entry.extents.empty()) entry.extents[0] = places[2 * e + 1];
  }
  return number_tiles(entries);
}

}  // namespace tessera::io::detail
