// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <system_error>

namespace tessera::io::detail {

/// The path that means the same file after a change of directory. What cannot be made absolute, as there is no
/// directory any more or no path, stays as it is: its user says what is wrong. @local
inline std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

/// The directory that a file is in, or the files of a prefix. @local
inline std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace tessera::io::detail
