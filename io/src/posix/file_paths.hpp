// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <system_error>

namespace tessera::io::detail {

/// The absolute path, which means the same file after a change of directory. A path that cannot be made
/// absolute stays as it is: it is empty, or the directory is gone. Its user then reports the error. @local
inline std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

/// The directory of a file, or of the files of a prefix. @local
inline std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace tessera::io::detail
