// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hdf5/hdf5.hpp"
#include "tiles/tiles.hpp"

// Files whose data does not pass through HDF5. One process creates the datasets; their bytes are written where
// HDF5 has placed them. As in hdf5.hpp every call is checked, and failures throw Hdf5Error. All @local.
namespace tessera::io::hdf5 {

/// Creates a file with room for `user_bytes` bytes before its HDF5 part. Datasets of a page or more begin on a
/// page. HDF5 does not lock the file, because that fails on some file systems.
File create_alone(const std::filesystem::path& path, index_t user_bytes);
/// Creates a contiguous dataset that has its place in the file from the start, unfilled.
Dataset create_placed(const File& file, const detail::Entry& entry);
/// Where the bytes of a dataset are in the file; 0 if it has none.
index_t offset(const Dataset& dataset);
/// Attributes of the file itself.
void write_root_attribute(const File& file, const char* name, const std::string& value);
void write_root_attribute(const File& file, const char* name, std::int64_t value);

}  // namespace tessera::io::hdf5
