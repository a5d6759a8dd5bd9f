// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/runtime/group.hpp>

#include "hdf5/hdf5.hpp"
#include "posix/descriptor.hpp"
#include "posix/only_writer.hpp"

// Opening files and datasets that should be there, with errors that help.
namespace tessera::io::detail {

/// A file that HDF5 has open, and a descriptor of the same file, even if its name changes.
struct OpenFile {
  hdf5::File hdf5;
  Descriptor bytes;
  OnlyWriter writer;  // of a file that is open for writing
};

/// What an open file is for.
enum class Access { read, read_write };

/// Opens a file. To read, each rank opens it by itself. @collective @throws IoError on every rank, also if the
/// file is replaced again and again meanwhile
OpenFile open_file(const Group& group, const std::filesystem::path& path, Access access,
                   const std::string& context);

/// Closes a file after an error, if all ranks have it open; otherwise no rank can close it. @collective
void give_up(const Group& group, hdf5::File file);

/// Part of a step of all ranks. @throws IoError if a name leads into another file, where nothing is written
void require_inside(const hdf5::File& file, const std::string& name);
/// Part of a step of all ranks. @throws IoError if HDF5 cannot write into this dataset on several ranks: it
/// would lose elements, damage the file, or hang
void require_shared(const hdf5::Dataset& dataset, int ranks);
/// Part of a step of all ranks. @throws IoError that lists the datasets there are
hdf5::Dataset find_dataset(const hdf5::File& file, const std::string& name);

}  // namespace tessera::io::detail
