// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A preloaded library: system calls on files whose path ends with TESSERA_TEST_FAILING_FILE fail with EIO. The
// program chooses the kinds of calls with tessera_test_fail, which it finds with dlsym.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

// As in failing_system.hpp.
constexpr int writes = 1, sizes = 2, syncs = 4, opens = 8, reads = 16;

std::atomic<int> failing{0}, spared{0}, failed{0};

bool is_chosen(const char* path) {
  const char* name = std::getenv("TESSERA_TEST_FAILING_FILE");
  if (name == nullptr || path == nullptr) return false;
  const std::size_t all = std::strlen(path), end = std::strlen(name);
  return all >= end && std::strcmp(path + all - end, name) == 0;
}

// The first calls may be spared.
bool fails(int kind, const char* path) {
  if ((failing.load() & kind) == 0 || !is_chosen(path)) return false;
  if (spared.fetch_sub(1) > 0) return false;
  ++failed;
  errno = EIO;
  return true;
}

bool fails(int kind, int file) {
  if ((failing.load() & kind) == 0) return false;
  const int error = errno;
  std::array<char, 32> link{};
  std::array<char, 4096> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  const bool is_known = readlink(link.data(), path.data(), path.size() - 1) > 0;
  errno = error;
  return is_known && fails(kind, path.data());
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  return fails(opens, path) ? -1 : next<int(const char*, int, ...)>(name)(path, flags, mode);
}

}  // namespace

// Calls of these kinds fail from now on, except the first ones. Returns how many failed since the last call.
extern "C" int tessera_test_fail(int kinds, int but_first) {
  failing = 0;
  spared = but_first;
  failing = kinds;
  return failed.exchange(0);
}

extern "C" ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  return fails(writes, file) ? -1
                             : next<ssize_t(int, const void*, size_t, off_t)>("pwrite")(file, data, bytes, at);
}
extern "C" ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  return fails(writes, file)
             ? -1
             : next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, data, bytes, at);
}
extern "C" ssize_t write(int file, const void* data, size_t bytes) {
  return fails(writes, file) ? -1 : next<ssize_t(int, const void*, size_t)>("write")(file, data, bytes);
}
extern "C" ssize_t writev(int file, const iovec* pieces, int count) {
  return fails(writes, file) ? -1 : next<ssize_t(int, const iovec*, int)>("writev")(file, pieces, count);
}
extern "C" ssize_t pwritev(int file, const iovec* pieces, int count, off_t at) {
  return fails(writes, file) ? -1
                             : next<ssize_t(int, const iovec*, int, off_t)>("pwritev")(file, pieces, count, at);
}
extern "C" ssize_t pwritev64(int file, const iovec* pieces, int count, off64_t at) {
  return fails(writes, file)
             ? -1
             : next<ssize_t(int, const iovec*, int, off64_t)>("pwritev64")(file, pieces, count, at);
}
extern "C" ssize_t pread(int file, void* data, size_t bytes, off_t at) {
  return fails(reads, file) ? -1 : next<ssize_t(int, void*, size_t, off_t)>("pread")(file, data, bytes, at);
}
extern "C" ssize_t pread64(int file, void* data, size_t bytes, off64_t at) {
  return fails(reads, file) ? -1 : next<ssize_t(int, void*, size_t, off64_t)>("pread64")(file, data, bytes, at);
}
extern "C" ssize_t preadv(int file, const iovec* pieces, int count, off_t at) {
  return fails(reads, file) ? -1
                            : next<ssize_t(int, const iovec*, int, off_t)>("preadv")(file, pieces, count, at);
}
extern "C" ssize_t preadv64(int file, const iovec* pieces, int count, off64_t at) {
  return fails(reads, file)
             ? -1
             : next<ssize_t(int, const iovec*, int, off64_t)>("preadv64")(file, pieces, count, at);
}
extern "C" int ftruncate(int file, off_t size) noexcept {
  return fails(sizes, file) ? -1 : next<int(int, off_t)>("ftruncate")(file, size);
}
extern "C" int ftruncate64(int file, off64_t size) noexcept {
  return fails(sizes, file) ? -1 : next<int(int, off64_t)>("ftruncate64")(file, size);
}
extern "C" int fsync(int file) { return fails(syncs, file) ? -1 : next<int(int)>("fsync")(file); }
extern "C" int fdatasync(int file) { return fails(syncs, file) ? -1 : next<int(int)>("fdatasync")(file); }

extern "C" int open(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_next("open", path, flags, mode);
}
extern "C" int open64(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_next("open64", path, flags, mode);
}
