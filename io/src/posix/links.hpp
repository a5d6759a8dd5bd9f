// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

#include <sys/stat.h>

namespace tessera::io::detail {

/// Follows the symbolic links at the end of a path. Links that a stranger may have planted are refused, so that
/// another user cannot make us overwrite one of our files. Such a link lies in a directory that others may
/// write. Its owner is neither this user, nor root, nor the directory's owner. @local
/// @throws IoError
std::filesystem::path without_links(std::filesystem::path path);

/// Whether a stranger may have made this file, in a directory where anybody may make files. The owner is then
/// neither this user, nor root, nor the directory's owner. It is the rule of Linux's fs.protected_regular.
/// @local
bool may_be_of_stranger(const std::filesystem::path& path, const struct stat& status);
/// The file behind the links of a path, which is going to be changed in place. In a directory where anybody may
/// make files, it refuses a stranger's file, and a file with several names, which may be hard links to a file
/// of this user's elsewhere. @local @throws IoError
std::filesystem::path safe_to_change(const std::filesystem::path& path);

}  // namespace tessera::io::detail
