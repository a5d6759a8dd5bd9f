// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <tessera/io/error.hpp>

#include "format.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 30;  // Linux moves no more than 2 GiB in one call

// Moves all bytes with `move`, which may move only a part in one call.
template <class Bytes, class Move>
void move_all(Bytes bytes, index_t offset, std::string_view what, Move&& move) {
  while (!bytes.empty()) {
    const ssize_t moved = move(bytes.data(), std::min(bytes.size(), max_bytes), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) throw IoError(formatted("{} at byte {}: {}", what, offset, last_system_error()));
    if (moved == 0)
      throw IoError(formatted("{} at byte {}: the file ends there; was it truncated?", what, offset));
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += moved;
  }
}

Descriptor open_file(const std::filesystem::path& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (!file) throw IoError(formatted("{} cannot be opened: {}", path.string(), last_system_error()));
  return file;
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void require_regular(const std::filesystem::path& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return;
  throw IoError(formatted("this is {}, where a file was expected: {}", kind_of(status.st_mode), path.string()));
}

}  // namespace

std::string last_system_error() { return std::strerror(errno); }

Descriptor open_regular(const std::filesystem::path& path, Use use, Links links) {
  // Check before opening, as opening a device can have effects. Check again afterwards, as the file may have
  // been replaced.
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0)
    throw IoError(formatted("{} cannot be opened: {}", path.string(), last_system_error()));
  if (S_ISLNK(status.st_mode) && links == Links::follow && ::stat(path.c_str(), &status) != 0)
    throw IoError(
        formatted("{} is a symbolic link that leads nowhere: {}", path.string(), last_system_error()));
  require_regular(path, status);
  const int flags = (use == Use::read ? O_RDONLY : O_RDWR) | (links == Links::refuse ? O_NOFOLLOW : 0);
  Descriptor file = open_file(path, flags | O_NONBLOCK);
  if (fstat(file.get(), &status) != 0) throw IoError(formatted("fstat: {}", last_system_error()));
  require_regular(path, status);
  return file;
}

Descriptor open_to_write(const std::filesystem::path& path) { return open_file(path, O_RDWR); }
Descriptor open_to_read(const std::filesystem::path& path) { return open_file(path, O_RDONLY); }

index_t size_of_file(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw IoError(formatted("fstat: {}", last_system_error()));
  return status.st_size;
}

bool is_coherent(const Descriptor& file) noexcept {
  struct statfs status {};
  return fstatfs(file.get(), &status) != 0 || status.f_type != NFS_SUPER_MAGIC;
}

void write_at(const Descriptor& file, std::span<const std::byte> bytes, index_t offset) {
  move_all(bytes, offset, "cannot be written",
           [&](const void* data, std::size_t size, off_t at) { return ::pwrite(file.get(), data, size, at); });
}

void read_at(const Descriptor& file, std::span<std::byte> bytes, index_t offset) {
  move_all(bytes, offset, "cannot be read",
           [&](void* data, std::size_t size, off_t at) { return ::pread(file.get(), data, size, at); });
}

void truncate_to(const Descriptor& file, index_t bytes) {
  while (ftruncate(file.get(), bytes) != 0) {
    if (errno != EINTR) throw IoError(formatted("ftruncate: {}", last_system_error()));
  }
}

void begin_flush(const Descriptor& file, index_t offset, index_t bytes) noexcept {
  sync_file_range(file.get(), offset, bytes, SYNC_FILE_RANGE_WRITE);
}

void flush_data(const Descriptor& file) {
  // EINVAL: the file system has nothing to flush to, or cannot flush directories, like some network file
  // systems.
  if (fsync(file.get()) != 0 && errno != EINVAL)
    throw IoError(formatted("cannot be flushed to disk: {}", last_system_error()));
}

}  // namespace tessera::io::detail
