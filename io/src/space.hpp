// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

#include <tessera/runtime/types.hpp>

namespace tessera::io::detail {

/// Asks whether this process may write a file of so many bytes. @local @throws IoError
void check_file_size(index_t bytes);

/// Takes space on disk for a part of a file that is going to be written, where the file system can; the size of
/// the file stays. @local @throws IoError if there is not enough, or more than this process may write
void reserve_space(const std::filesystem::path& path, index_t offset, index_t bytes);

}  // namespace tessera::io::detail
