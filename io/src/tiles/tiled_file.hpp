// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "hdf5/hdf5.hpp"
#include "posix/atomic_file.hpp"
#include "posix/descriptor.hpp"
#include "tiles/tiles.hpp"

// New files of which rank 0 makes the HDF5 part, with places for entries that all ranks write to.
namespace tessera::io::detail {

/// Makes one on rank 0: HDF5 begins after `user_bytes` of anything, and `make` creates so many datasets. Space
/// is taken for all of it, where the file system can. Returns its size. @local @throws IoError
index_t make_tiled_file(const AtomicFile& replacement, index_t user_bytes, std::size_t datasets,
                        const std::function<void(const hdf5::File&)>& make);
/// More than a file with these entries can need. @local
index_t largest_size(std::span<const Entry> entries);

/// Tells all ranks what rank 0 knows of entries: their places, and the lengths of lists. Returns how many tiles
/// there are. @collective
index_t share_places(const Group& group, std::vector<Entry>& entries);
/// The file that rank 0 has made. @local @throws IoError
Descriptor open_shared(const std::filesystem::path& path);

}  // namespace tessera::io::detail
