// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "path_lock.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <tessera/io/error.hpp>

#include "date.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

// A process as no other is: its number comes again, but not with the same start on the same boot of the host.
struct Process {
  std::string host, boot, date;
  long pid = 0;
  unsigned long long start = 0;  // in clock ticks since the boot
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string boot() {
  std::string id = "unknown";
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

// When a process began; 0 if there is none, or one that has ended and that nobody has asked about yet.
unsigned long long start_of(long pid) {
  std::ifstream file(formatted("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  std::istringstream words(text.substr(end_of_name + 1));
  std::string word;
  words >> word;  // the 3rd field of the line is the state, the 22nd the start
  if (word == "Z" || word == "X") return 0;
  for (int i = 0; i < 18; ++i) words >> word;
  unsigned long long start = 0;
  words >> start;
  return start;
}

Process this_process() { return {host_name(), boot(), date_now(), getpid(), start_of(getpid())}; }

std::string text_of(const Process& p) {
  return formatted("host {}\nprocess {}\nstart {}\nboot {}\nsince {}\n", p.host, p.pid, p.start, p.boot,
                   p.date);
}

std::optional<Process> parse(const std::string& text) {
  std::istringstream words(text);
  Process p;
  std::array<std::string, 5> name;
  words >> name[0] >> p.host >> name[1] >> p.pid >> name[2] >> p.start >> name[3] >> p.boot >> name[4] >>
      p.date;
  if (words.fail() || name[0] != "host" || name[1] != "process") return std::nullopt;
  return p;
}

// False only if it is known to have ended.
bool may_live(const Process& p) {
  if (p.host != host_name()) return true;
  if (p.boot != boot()) return false;
  return (kill(static_cast<pid_t>(p.pid), 0) == 0 || errno == EPERM) && start_of(p.pid) == p.start;
}

std::string contents(const Descriptor& file) {
  std::string text(static_cast<std::size_t>(size_of_file(file)), '\0');
  read_at(file, std::as_writable_bytes(std::span(text)), 0);
  return text;
}

// With its contents from the first moment on, and only if there is none: a link to a file that is complete.
bool create(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path mine = path;
  std::random_device random;
  mine += formatted("-{:08x}{:08x}", random(), random());
  Descriptor file(::open(mine.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
  int error = errno;
  bool created = false;
  if (file) {
    try {
      write_at(file, std::as_bytes(std::span(text)), 0);
      created = ::link(mine.c_str(), path.c_str()) == 0;
      error = errno;
    } catch (const IoError&) {
      error = errno;
    }
    ::unlink(mine.c_str());
    if (!created && (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)) {  // no links here
      file.reset(::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
      error = errno;
      if (file) write_at(file, std::as_bytes(std::span(text)), 0);
      created = static_cast<bool>(file);
    }
  }
  if (!created && error != EEXIST)
    throw IoError(formatted("no file {} can be made: {}", path.string(), std::strerror(error)));
  return created;
}

bool is_same_file(const Descriptor& file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return fstat(file.get(), &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

[[noreturn]] void throw_held(const std::filesystem::path& path, const std::optional<Process>& by) {
  const std::string who = by ? formatted("process {} on host {}, since {}", by->pid, by->host, by->date)
                             : std::string("a process that has not said which");
  throw IoError(
      formatted("it is being written by {}; give this job another path, or remove {} if that process is gone",
                who, path.string()));
}

}  // namespace

PathLock::PathLock(std::filesystem::path path, bool take_over) {
  const std::string mine = text_of(this_process());
  for (int attempt = 0; attempt < 100; ++attempt) {
    const bool created = create(path, mine);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file && errno == ENOENT) continue;  // its holder has just gone
    if (!file) throw IoError(formatted("{} cannot be opened: {}", path.string(), std::strerror(errno)));
    const bool locked = flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    bool held = !locked && errno == EWOULDBLOCK;
    if (created && held) {  // by who looks who has it, and will see
      held = flock(file.get(), LOCK_EX) != 0;
    }
    if (!is_same_file(file, path)) continue;
    if (!created) {
      const auto holder = parse(contents(file));
      // Where locks do not work, what the file says is all there is.
      const bool elsewhere = holder && holder->host != host_name();
      if (held || (holder ? may_live(*holder) && !(elsewhere && take_over) : !locked)) throw_held(path, holder);
      if (ftruncate(file.get(), 0) != 0) throw IoError(formatted("ftruncate: {}", std::strerror(errno)));
      write_at(file, std::as_bytes(std::span(mine)), 0);
    }
    if (contents(file) != mine) continue;
    file_ = std::move(path);
    descriptor_ = std::move(file);
    return;
  }
  throw IoError(formatted("{} changes hands too often", path.string()));
}

PathLock::~PathLock() {
  if (!descriptor_) return;
  // Not one that somebody else has made meanwhile, after removing this.
  if (is_same_file(descriptor_, file_)) ::unlink(file_.c_str());
}

}  // namespace tessera::io::detail
