// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/disk_space.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/reserve.hpp>

#include "format.hpp"

namespace tessera::io::detail {

void check_file_size(index_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<rlim_t>(bytes) > limit.rlim_cur) {
    throw IoError(formatted("a file of {} bytes is larger than this process may write, {} (see ulimit -f)",
                            bytes, limit.rlim_cur));
  }
}

void reserve_space(const Descriptor& file, index_t offset, index_t bytes, Size size) {
  check_file_size(offset + bytes);
  // Not posix_fallocate, which writes every block where the file system cannot reserve.
  const int mode = size == Size::stays ? FALLOC_FL_KEEP_SIZE : 0;
  const int error = tessera::detail::reserve_in_pieces(offset, bytes, [&](index_t at, index_t count) {
    return fallocate(file.get(), mode, at, count) == 0 ? 0 : errno;
  });
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS)
    throw IoError(formatted("{} bytes cannot be had on its file system: {}", bytes, std::strerror(error)));
}

void release_space(const Descriptor& file) {
  // Truncate to the current size: file systems then free the space beyond it.
  truncate_to(file, size_of_file(file));
}

}  // namespace tessera::io::detail
