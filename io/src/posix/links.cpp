// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/links.hpp"

#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include <tessera/io/error.hpp>

#include "format.hpp"

namespace tessera::io::detail {
namespace {

constexpr int max_links = 40;  // as in Linux

// The rule of Linux's fs.protected_symlinks, which not every system sets. It also applies without the sticky
// bit.
bool may_be_planted(const std::filesystem::path& link, const struct stat& status) {
  struct stat directory {};
  const auto parent = link.has_parent_path() ? link.parent_path() : std::filesystem::path(".");
  if (stat(parent.c_str(), &directory) != 0 || (directory.st_mode & (S_IWGRP | S_IWOTH)) == 0) return false;
  return status.st_uid != geteuid() && status.st_uid != 0 && status.st_uid != directory.st_uid;
}

}  // namespace

std::filesystem::path without_links(std::filesystem::path path) {
  for (int links = 0; links < max_links; ++links) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
    if (may_be_planted(path, status)) {
      throw IoError(formatted(
          "{} is a symbolic link that another user (number {}) has made in a directory that others may "
          "write, so that it may lead to a file that is not to be overwritten; remove it, or name the file "
          "that it leads to",
          path.string(), status.st_uid));
    }
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path, error);
    if (error) throw IoError(formatted("symbolic link {} cannot be read: {}", path.string(), error.message()));
    path = path.parent_path() / target;
  }
  throw IoError(
      formatted("{} is a symbolic link that leads through more than {} others", path.string(), max_links));
}

}  // namespace tessera::io::detail
