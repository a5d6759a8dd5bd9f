// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>

namespace tessera::io::detail {

/// What a path leads to when its last part is a symbolic link, and a link from there. Links by strangers are
/// refused where they can have been planted, so that another user cannot have one of our files written over:
/// those in directories that others may write too, by a user that is neither we, nor root, nor the directory's
/// owner. @local
/// @throws IoError
std::filesystem::path without_links(std::filesystem::path path);

}  // namespace tessera::io::detail
