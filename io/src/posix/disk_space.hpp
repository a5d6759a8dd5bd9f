// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Checks that this process may write a file of `bytes` bytes. @local @throws IoError
void check_file_size(index_t bytes);

/// Whether reserving space changes the size of a file.
enum class Size : std::uint8_t { grows, stays };

/// Reserves disk space for a part of a file that will be written, if the file system supports it. @local
/// @throws IoError if there is not enough space, or this process may not write so much
void reserve_space(const Descriptor& file, index_t offset, index_t bytes, Size size);
/// Releases the space that was reserved beyond the end of a file. @local @throws IoError
void release_space(const Descriptor& file);

}  // namespace tessera::io::detail
