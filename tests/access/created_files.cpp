// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Preloaded into a job, to see with which modes it makes files. Each call that makes a file, or changes a mode,
// is a line of the file TESSERA_TEST_CREATED: "open MODE FLAGS PATH" or "chmod MODE - PATH", with octal
// numbers.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

bool is_there(const char* path) {
  struct stat status {};
  return lstat(path, &status) == 0;
}

void log(const char* what, unsigned mode, int flags, const char* path) {
  const char* const file = std::getenv("TESSERA_TEST_CREATED");
  if (file == nullptr) return;
  static const auto open_log = next<int (*)(const char*, int, ...)>("open");
  const int log = open_log(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return;
  char line[5000];
  const int length =
      std::snprintf(line, sizeof line, "%s %o %o %s\n", what, mode, static_cast<unsigned>(flags), path);
  if (length > 0 && write(log, line, static_cast<std::size_t>(length)) != length) std::abort();
  close(log);
}

int log_open(const char* name, const char* path, int flags, unsigned mode) {
  if ((flags & O_CREAT) != 0 && !is_there(path)) log("open", mode, flags, path);
  return next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

void log_descriptor(int file, mode_t mode) {
  char link[64], path[4096] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) > 0) log("chmod", mode, 0, path);
}

std::FILE* log_stream(const char* name, const char* path, const char* mode) {
  if (std::strchr(mode, 'r') == nullptr && !is_there(path))
    log("open", 0666, O_CREAT | (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0), path);
  return next<std::FILE* (*)(const char*, const char*)>(name)(path, mode);
}

}  // namespace

extern "C" {

#define TESSERA_LOGGED_OPEN(name)                                                   \
  int name(const char* path, int flags, ...) {                                      \
    va_list arguments;                                                              \
    va_start(arguments, flags);                                                     \
    const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0; \
    va_end(arguments);                                                              \
    return log_open(#name, path, flags, mode);                                      \
  }
TESSERA_LOGGED_OPEN(open)
TESSERA_LOGGED_OPEN(open64)
#undef TESSERA_LOGGED_OPEN

std::FILE* fopen(const char* path, const char* mode) { return log_stream("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return log_stream("fopen64", path, mode); }
int chmod(const char* path, mode_t mode) noexcept {
  log("chmod", mode, 0, path);
  return next<int (*)(const char*, mode_t)>("chmod")(path, mode);
}
int fchmod(int file, mode_t mode) noexcept {
  log_descriptor(file, mode);
  return next<int (*)(int, mode_t)>("fchmod")(file, mode);
}
mode_t umask(mode_t mask) noexcept {
  log("umask", mask, 0, "-");
  return next<mode_t (*)(mode_t)>("umask")(mask);
}

}  // extern "C"
