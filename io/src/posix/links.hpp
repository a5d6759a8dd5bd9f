// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

namespace tessera::io::detail {

/// Follows the symbolic links at the end of a path. Links that a stranger may have planted are refused, so that
/// another user cannot make us overwrite one of our files. Such a link lies in a directory that others may
/// write. Its owner is neither this user, nor root, nor the directory's owner. @local
/// @throws IoError
std::filesystem::path without_links(std::filesystem::path path);

}  // namespace tessera::io::detail
