// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/path_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <tessera/io/error.hpp>

#include "base/process_name.hpp"
#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t longest = 4096;  // no lock is longer

constexpr const char* advice = "remove it, or give this job another path";

struct stat status_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw IoError(formatted("fstat: {}", last_system_error()));
  return status;
}

std::string contents(const Descriptor& file) {
  std::string text(static_cast<std::size_t>(std::min(size_of_file(file), longest)), '\0');
  read_at(file, std::as_writable_bytes(std::span(text)), 0);
  return text;
}

struct Attempt {
  bool created = false;
  uid_t owner = 0;  // of files that this process creates there; network file systems may choose it
};

// Creates the lock if there is none. It is a link to a complete file, so it has its contents from the start.
Attempt create(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path mine = path;
  std::random_device random;
  mine += formatted("-{:08x}{:08x}", random(), random());
  constexpr int flags = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC;  // O_EXCL follows no link either
  Descriptor file(::open(mine.c_str(), flags, 0666));
  int error = errno;
  Attempt attempt;
  if (file) {
    try {
      attempt.owner = status_of(file).st_uid;
      write_at(file, std::as_bytes(std::span(text)), 0);
      attempt.created = ::link(mine.c_str(), path.c_str()) == 0;
      error = errno;
    } catch (const IoError& problem) {
      ::unlink(mine.c_str());
      throw IoError(formatted("no file {} can be made: {}", path.string(), problem.what()));
    }
    ::unlink(mine.c_str());
    if (!attempt.created && (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)) {  // no hard links here
      file.reset(::open(path.c_str(), flags, 0666));
      error = errno;
      if (file) write_at(file, std::as_bytes(std::span(text)), 0);
      attempt.created = static_cast<bool>(file);
    }
  }
  if (!attempt.created && error != EEXIST)
    throw IoError(formatted("no file {} can be made: {}", path.string(), std::strerror(error)));
  return attempt;
}

bool is_same_file(const Descriptor& file, const Descriptor& directory, const std::filesystem::path& name) {
  struct stat open {
  }, named{};
  return fstat(file.get(), &open) == 0 &&
         fstatat(directory ? directory.get() : AT_FDCWD, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

[[noreturn]] void throw_held(const std::filesystem::path& path, const std::optional<ProcessName>& by) {
  const std::string who =
      by ? formatted("process {} on host {}, since {}", by->pid, printable(by->host), printable(by->date))
         : std::string("a process that has not said which");
  throw IoError(
      formatted("it is being written by {}; give this job another path, or remove {} if that process is gone",
                who, path.string()));
}

// Opens the lock; returns nothing if it is gone with its holder. Where others may write, anything may have its
// name.
Descriptor open_lock(const std::filesystem::path& path, uid_t owner) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    throw IoError(formatted("{} cannot be looked at: {}", path.string(), last_system_error()));
  }
  if (status.st_uid != owner)
    throw IoError(formatted("{} belongs to user {}, but files of this job to user {}; {}", path.string(),
                            status.st_uid, owner, advice));
  Descriptor file;
  try {
    file = open_regular(path, Use::write, Links::refuse);
  } catch (const IoError& error) {
    if (::lstat(path.c_str(), &status) != 0 && errno == ENOENT) return {};
    throw IoError(formatted("its lock cannot be one: {}; {}", error.what(), advice));
  }
  status = status_of(file);
  if (status.st_uid != owner) return {};  // it was replaced: look again
  if (status.st_size > longest || (status.st_size == 0 && status.st_nlink > 1))
    throw IoError(
        formatted("{} is no lock but something else ({} bytes); {}", path.string(), status.st_size, advice));
  return file;
}

}  // namespace

PathLock::PathLock(std::filesystem::path path, bool take_over) {
  const std::string mine = ProcessName::of_this().text();
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto [created, owner] = create(path, mine);
    Descriptor file = open_lock(path, owner);
    if (!file) continue;  // its holder has just gone
    const bool locked = flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    bool held = !locked && errno == EWOULDBLOCK;
    if (created && held) {  // by a process that checks who holds it, and will see
      held = flock(file.get(), LOCK_EX) != 0;
    }
    if (!is_same_file(file, {}, path)) continue;
    const std::string text = contents(file);
    if (!created) {
      const auto holder = ProcessName::parse(text);
      // Without hard links a lock is empty for a moment. It stays empty if its process dies then.
      if (!holder && !text.empty())
        throw IoError(
            formatted("{} is no lock but something else ({} bytes); {}", path.string(), text.size(), advice));
      // If file locks do not work, only the file's text tells who holds it.
      const bool elsewhere = holder && !holder->is_on_this_host();
      if (held || (holder ? holder->may_live() && !(elsewhere && take_over) : !locked))
        throw_held(path, holder);
      if (ftruncate(file.get(), 0) != 0) throw IoError(formatted("ftruncate: {}", last_system_error()));
      write_at(file, std::as_bytes(std::span(mine)), 0);
    }
    if (contents(file) != mine) continue;
    const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    directory_.reset(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    file_ = std::move(path);
    descriptor_ = std::move(file);
    return;
  }
  throw IoError(formatted("{} changes hands too often", path.string()));
}

bool PathLock::holds() const noexcept { return descriptor_ && is_same_file(descriptor_, {}, file_); }

PathLock::~PathLock() {
  if (!descriptor_) return;
  // Another process may have removed this lock and made its own, which must stay.
  if (directory_ && is_same_file(descriptor_, directory_, file_.filename()))
    ::unlinkat(directory_.get(), file_.filename().c_str(), 0);
}

}  // namespace tessera::io::detail
