// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/links.hpp"

#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "posix/file_paths.hpp"

namespace tessera::io::detail {
namespace {

constexpr int max_links = 40;  // as in Linux

// The status of the directory of a path; without any mode if there is none.
struct stat status_of_directory(const std::filesystem::path& path) {
  struct stat directory {};
  if (stat(directory_of(path).c_str(), &directory) != 0) directory.st_mode = 0;
  return directory;
}

bool is_of_stranger(const struct stat& status, const struct stat& directory) {
  return status.st_uid != geteuid() && status.st_uid != 0 && status.st_uid != directory.st_uid;
}

// The rule of Linux's fs.protected_symlinks, which not every system sets. It also applies without the sticky
// bit.
bool may_be_planted(const std::filesystem::path& link, const struct stat& status) {
  const struct stat directory = status_of_directory(link);
  return (directory.st_mode & (S_IWGRP | S_IWOTH)) != 0 && is_of_stranger(status, directory);
}

// Whether anybody may make files there. A group that shares a directory without the sticky bit trusts its
// members.
bool is_open_to_all(const struct stat& directory) {
  constexpr mode_t sticky_group = S_ISVTX | S_IWGRP;
  return (directory.st_mode & S_IWOTH) != 0 || (directory.st_mode & sticky_group) == sticky_group;
}

}  // namespace

bool may_be_of_stranger(const std::filesystem::path& path, const struct stat& status) {
  const struct stat directory = status_of_directory(path);
  return is_open_to_all(directory) && is_of_stranger(status, directory);
}

std::filesystem::path safe_to_change(const std::filesystem::path& path) {
  std::filesystem::path file = without_links(path);
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return file;
  if (may_be_of_stranger(file, status)) {
    throw IoError(formatted(
        "{} is a file that another user (number {}) has made in a directory that others may write, so that "
        "this user may read or change what is written; remove it, or give another name",
        file.string(), status.st_uid));
  }
  if (status.st_nlink > 1 && is_open_to_all(status_of_directory(file))) {
    throw IoError(
        formatted("{} has {} names and lies in a directory that others may write, so that it may be a file "
                  "that is not to "
                  "be overwritten; remove this name, or give another one",
                  file.string(), status.st_nlink));
  }
  return file;
}

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
