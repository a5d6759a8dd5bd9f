// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/same_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/runtime/detail/wait.hpp>

#include "base/checksum.hpp"
#include "format.hpp"
#include "posix/only_writer.hpp"

namespace tessera::io::detail {
namespace {

constexpr auto different =
    "ranks have different files under this path; is the directory the same on all nodes? a relative path also "
    "needs the same working directory on all ranks";
constexpr std::chrono::seconds most_wait{2};
constexpr std::chrono::milliseconds between_looks{1};
constexpr index_t compared_bytes = 65536;

template <class Step>
std::string problem_of(Step&& step) {
  try {
    step();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

// Whether a member of the group has other values. @collective
bool differs(const Group& group, std::vector<index_t> values) {
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(~values[i]);  // its least is the greatest value
  group.all_reduce(std::span<index_t>(values), Reduce::min);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != ~values[count + i]) return true;
  }
  return false;
}

// What a file on another node has in common with this one only if it is the same, or a copy.
std::vector<index_t> marks_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw IoError(formatted("fstat: {}", last_system_error()));
  const index_t compared = std::min<index_t>(status.st_size, compared_bytes);
  std::vector<std::byte> part(static_cast<std::size_t>(compared));
  RunningChecksum ends;
  for (const index_t begin : {index_t{0}, status.st_size - compared}) {
    read_at(file, part, begin);
    ends.add(part);
  }
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, static_cast<index_t>(ends.value())};
}

std::string difference_to_read(const Group& group, const Descriptor& file) {
  std::vector<index_t> marks(4);
  const std::string problem = group.agree(problem_of([&] { marks = marks_of(file); }));
  const bool is_alike = !differs(group, std::move(marks));
  return problem.empty() && !is_alike ? different : problem;
}

// A file beside another one. One rank makes it and removes it.
class FileBeside {
 public:
  FileBeside(const std::filesystem::path& path, index_t number) : path_(std::filesystem::canonical(path)) {
    path_ += formatted(".shared-{:016x}", number);
  }
  ~FileBeside() {
    if (made_) ::unlink(path_.c_str());
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  void make() {
    made_ = Descriptor(::open(path_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666));
    if (made_) return;
    throw IoError(formatted(
        "nodes see another number or time of this file, and no file can be made beside it to find out "
        "whether they share it: {}",
        last_system_error()));
  }
  // Waits for a moment, as a network file system may not show it at once.
  bool is_seen(const Group& group) const {
    const auto end = std::chrono::steady_clock::now() + most_wait;
    bool found = false;
    tessera::detail::wait_until(group, [&] {
      struct stat status {};
      found = lstat(path_.c_str(), &status) == 0;
      if (!found) std::this_thread::sleep_for(between_looks);
      return found || std::chrono::steady_clock::now() >= end;
    });
    return found;
  }

 private:
  std::filesystem::path path_;
  Descriptor made_;
};

std::string difference_to_write(const Group& group, const std::filesystem::path& path) {
  std::random_device random;
  const index_t number =
      group.broadcast(static_cast<index_t>(random()) << 31 | static_cast<index_t>(random()), 0);
  std::optional<FileBeside> beside;
  std::string problem = group.agree(problem_of([&] {
    beside.emplace(path, number);
    if (group.rank() == 0) beside->make();
  }));
  if (!problem.empty()) return problem;
  return group.agree(beside->is_seen(group) ? "" : different);  // all have looked before it goes
}

}  // namespace

std::string difference(const Group& group, const std::filesystem::path& path, const Descriptor& file,
                       Access access, Numbers numbers) {
  const FileIdentity opened = identity(file);
  const auto device = static_cast<index_t>(opened.device), number = static_cast<index_t>(opened.number);
  const bool on_node = differs(group.node(), {device, number});
  if (group.all_reduce(static_cast<int>(on_node), Reduce::max) != 0) return different;
  if (numbers == Numbers::must_agree) return differs(group, {number}) ? different : "";
  // Two file systems may give the same number to their files, but not at the same time.
  struct stat status {};
  if (fstat(file.get(), &status) != 0) status = {};
  if (!differs(group, {number, status.st_size, status.st_ctim.tv_sec, status.st_ctim.tv_nsec})) return {};
  return access == Access::read ? difference_to_read(group, file) : difference_to_write(group, path);
}

}  // namespace tessera::io::detail
