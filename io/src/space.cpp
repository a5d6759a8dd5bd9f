// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "space.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <tessera/io/error.hpp>

#include "format.hpp"

namespace tessera::io::detail {

void check_file_size(index_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<rlim_t>(bytes) > limit.rlim_cur) {
    throw IoError(formatted("a file of {} bytes is larger than this process may write, {} (see ulimit -f)",
                            bytes, limit.rlim_cur));
  }
}

void reserve_space(const std::filesystem::path& path, index_t offset, index_t bytes) {
  check_file_size(offset + bytes);
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int error = file >= 0 && fallocate(file, FALLOC_FL_KEEP_SIZE, offset, bytes) == 0 ? 0 : errno;
  if (file >= 0) ::close(file);
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS)
    throw IoError(formatted("{} bytes more cannot be had on its file system: {}", bytes, std::strerror(error)));
}

}  // namespace tessera::io::detail
