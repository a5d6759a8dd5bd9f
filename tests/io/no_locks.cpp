// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A preloaded library: every attempt to lock a file fails, as on a file system without locks.
#include <cerrno>
#include <cstdarg>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>

namespace {

int without_locks(const char* name, int file, int command, void* argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW) {
    errno = ENOLCK;
    return -1;
  }
  using Function = int (*)(int, int, ...);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name))(file, command, argument);
}

}  // namespace

extern "C" int fcntl(int file, int command, ...) {
  std::va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return without_locks("fcntl", file, command, argument);
}

extern "C" int fcntl64(int file, int command, ...) {
  std::va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return without_locks("fcntl64", file, command, argument);
}

extern "C" int flock(int, int) noexcept {
  errno = ENOLCK;
  return -1;
}
