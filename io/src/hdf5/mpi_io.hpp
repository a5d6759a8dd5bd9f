// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/runtime/group.hpp>

#include "hdf5/hdf5.hpp"

// Checks of what MPI-IO needs around it, so that it neither fails nor damages files.
namespace tessera::io::detail {

/// @local @throws IoError if this MPI would write files of several ranks without the locks that it needs
void require_safe_writing(const Group& group);

/// @local @throws IoError if this MPI cannot work with chunks
void require_chunks();

/// Whether a file that exists can be locked. @collective
/// @throws IoError on every rank if it cannot, and this MPI needs locks
hdf5::Locks file_locks(const Group& group, const std::filesystem::path& path, const std::string& context);

}  // namespace tessera::io::detail
