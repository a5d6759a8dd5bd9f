// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "system_calls.hpp"

#include <algorithm>
#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

// These definitions replace the system's functions, also for the library's calls.
namespace tessera::test {
namespace {

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

inline std::size_t counted(std::atomic<int>& count, std::size_t size) {
  ++count;
  if (size > calls.largest) calls.largest = size;
  return refuse.is_partial ? std::min<std::size_t>(size, 1000) : size;
}

}  // namespace
}  // namespace tessera::test

extern "C" ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  using namespace tessera::test;
  static const auto real = next_function<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  while (refuse.holds) usleep(100);
  size = counted(calls.writes, size);
  if (!refuse.writes) return real(file, data, size, offset);
  errno = ENOSPC;
  return -1;
}

extern "C" ssize_t pread(int file, void* data, size_t size, off_t offset) {
  using namespace tessera::test;
  static const auto real = next_function<ssize_t(int, void*, size_t, off_t)>("pread");
  size = counted(calls.reads, size);
  if (!refuse.reads) return real(file, data, size, offset);
  errno = EIO;
  return -1;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) {
  using namespace tessera::test;
  static const auto real =
      next_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return refuse.threads ? EAGAIN : real(thread, attributes, run, argument);
}
