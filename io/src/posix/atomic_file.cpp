// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/atomic_file.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "posix/descriptor.hpp"
#include "posix/disk_space.hpp"
#include "posix/file_paths.hpp"
#include "posix/links.hpp"

namespace tessera::io::detail {
namespace {

// At most so many bytes of a name, without a part of a character of UTF-8 at the end.
std::string shortened(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  while (most > 0 && (static_cast<unsigned char>(name[most]) & 0xc0) == 0x80) --most;
  return name.substr(0, most);
}

// A file system without RENAME_NOREPLACE replaces a file that has just appeared there, but never the target of
// a link.
bool rename_to(Links links, const std::filesystem::path& from, const std::filesystem::path& to) {
  if (links == Links::refuse) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

// The group of a new file in this directory.
gid_t group_of_new_file(const std::filesystem::path& directory) {
  struct stat found {};
  const bool gives_its_group = ::stat(directory.c_str(), &found) == 0 && (found.st_mode & S_ISGID) != 0;
  return gives_its_group ? found.st_gid : ::getegid();
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, Links links) : path_(std::move(path)), links_(links) {}

void AtomicFile::begin() {
  std::error_code ignored;  // without_links() says what is wrong with a link
  if (std::filesystem::is_directory(path_, ignored))
    throw IoError("this is a directory; give the name of a file");
  // Root would replace /dev/null by a file.
  if (std::filesystem::is_other(path_, ignored))
    throw IoError("this is a device, a FIFO or a socket; give the name of a file");
  const bool replaces = links_ == Links::follow;
  if (replaces) path_ = without_links(path_);
  struct stat before {};
  mode_t first_mode = 0666;
  if (replaces && ::stat(path_.c_str(), &before) == 0) {
    // Users who may not read the old file must not even open this one before it has its mode.
    first_mode = (before.st_mode & 0666) | S_IRUSR | S_IWUSR;
    if (group_of_new_file(directory_of(path_)) != before.st_gid) first_mode &= ~static_cast<mode_t>(S_IRWXG);
    if (!may_be_of_stranger(path_, before)) mode_ = before.st_mode & 07777;
  }
  std::random_device random;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::string end = formatted(".tmp-{:08x}{:08x}", random(), random());
    temporary_ = path_.parent_path() / (shortened(path_.filename().string(), NAME_MAX - end.size()) + end);
    const Descriptor file(::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, first_mode));
    if (file) {
      exists_ = true;
      struct stat now {};
      // What the old file's group may do is not for another group.
      const bool is_of_group = ::fstat(file.get(), &now) == 0 && now.st_gid == before.st_gid;
      if (mode_ && !is_of_group && ::fchown(file.get(), static_cast<uid_t>(-1), before.st_gid) != 0)
        *mode_ &= ~static_cast<mode_t>(S_IRWXG);
      if (mode_) static_cast<void>(fchmod(file.get(), *mode_ | S_IRUSR | S_IWUSR));
      return;
    }
    if (errno != EEXIST) break;
  }
  throw IoError(
      formatted("no file can be made in directory {}: {}", directory_of(path_).string(), last_system_error()));
}

void AtomicFile::reserve(index_t bytes) const {
  check_file_size(bytes);
  reserve_space(open_regular(temporary_, Use::write, Links::refuse), 0, bytes, Size::grows);
}

void AtomicFile::flush() const { flush_data(open_regular(temporary_, Use::read, Links::refuse)); }

void AtomicFile::commit() {
  if (mode_) static_cast<void>(::fchmod(open_regular(temporary_, Use::read, Links::refuse).get(), *mode_));
  if (!rename_to(links_, temporary_, path_))
    throw IoError(
        formatted("{} cannot be renamed to {}: {}", temporary_.string(), path_.string(), last_system_error()));
  exists_ = false;
}

void AtomicFile::discard() noexcept {
  if (!exists_) return;
  try {  // frees its space even if it is still open
    truncate_to(open_regular(temporary_, Use::write, Links::refuse), 0);
  } catch (const IoError&) {  // it is gone, or another file has its name
  }
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  exists_ = false;
}

void AtomicFile::flush_directory() const {
  const std::filesystem::path directory = directory_of(path_);
  // One that may be written, but not read, cannot be flushed.
  if (::access(directory.c_str(), R_OK) != 0 && errno == EACCES) return;
  flush_data(open_to_read(directory));
}

void replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.begin();
  try {
    file.reserve(static_cast<index_t>(bytes.size()));
    write_at(open_regular(file.temporary(), Use::write, Links::refuse), bytes, 0);
    file.flush();
    file.commit();
  } catch (...) {
    file.discard();
    throw;
  }
  file.flush_directory();
}

}  // namespace tessera::io::detail
