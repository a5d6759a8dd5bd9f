// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// Asks whether this process may write a file of so many bytes. @local @throws IoError
void check_file_size(index_t bytes);

/// What becomes of the size of a file that is given more space.
enum class Size : std::uint8_t { grows, stays };

/// Takes space on disk for a part of a file that is going to be written, where the file system can. @local
/// @throws IoError if there is not enough, or more than this process may write
void reserve_space(const Descriptor& file, index_t offset, index_t bytes, Size size);
/// Gives back what was taken beyond the end of a file. @local @throws IoError
void release_space(const Descriptor& file);

}  // namespace tessera::io::detail
