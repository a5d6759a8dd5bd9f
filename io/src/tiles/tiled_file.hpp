// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "hdf5/hdf5.hpp"
#include "posix/atomic_file.hpp"
#include "tiles/tiles.hpp"

// New files whose HDF5 part rank 0 creates, with places for entries that all ranks write.
namespace tessera::io::detail {

/// Creates the file on rank 0. HDF5's part begins after `user_bytes` bytes, and `make` creates `datasets`
/// datasets. Reserves space for all of it, if the file system supports it. Returns the file's size. @local
/// @throws IoError
index_t make_tiled_file(const AtomicFile& atomic_file, index_t user_bytes, std::size_t datasets,
                        const std::function<void(const hdf5::File&)>& make);
/// An upper bound of the size of a file with these entries. @local
index_t largest_size(std::span<const Entry> entries);

/// Tells all ranks what rank 0 knows of the entries: their places, and the lengths of lists. Returns the number
/// of tiles. @collective
index_t share_places(const Group& group, std::vector<Entry>& entries);

}  // namespace tessera::io::detail
