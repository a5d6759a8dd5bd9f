// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/memory_check.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sys/statvfs.h>

#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t unlimited = std::numeric_limits<index_t>::max();

std::optional<index_t> read_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  index_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // absent, or "max"
}

// The value after `key` in files of lines like "key value".
std::optional<index_t> read_key(const std::filesystem::path& file, std::string_view key) {
  std::ifstream in(file);
  index_t value = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto digits = line.find_first_of("0123456789", key.size());
    if (digits == std::string::npos) return std::nullopt;
    const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), value);
    if (error == std::errc()) return value;
  }
  return std::nullopt;
}

// The room left in one control group. Its usage includes clean page cache, which the kernel gives back on
// demand.
index_t cgroup_room(const std::filesystem::path& folder, const char* limit_file, const char* usage_file) {
  const auto limit = read_number(folder / limit_file);
  const auto usage = read_number(folder / usage_file);
  if (!limit || !usage) return unlimited;
  const index_t cache = read_key(folder / "memory.stat", "inactive_file ").value_or(0);
  return std::max<index_t>(0, *limit - std::max<index_t>(0, *usage - cache));
}

index_t cgroup_room() {
  index_t room = unlimited;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers.find("memory") == std::string::npos) continue;
    const std::filesystem::path root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::filesystem::path folder = root;
    // A limit anywhere between the process's group and the root counts. Inside a container the path may not
    // exist.
    auto look = [&] {
      room = std::min(room, v2 ? cgroup_room(folder, "memory.max", "memory.current")
                               : cgroup_room(folder, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    };
    look();
    for (const auto& part : std::filesystem::path(line.substr(second + 1)).relative_path()) {
      folder /= part;
      look();
    }
  }
  return room;
}

}  // namespace

MemoryAvailable memory_available() {
  MemoryAvailable available{unlimited, "nothing known"};
  if (const auto kilobytes = read_key("/proc/meminfo", "MemAvailable:")) {
    available = {*kilobytes * 1024, "the machine's free memory"};
  }
  if (const index_t room = cgroup_room(); room < available.bytes)
    available = {room, "the control group's memory limit"};
  return available;
}

index_t shm_room() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return 0;
  return static_cast<index_t>(info.f_bavail) * static_cast<index_t>(info.f_frsize);
}

index_t shm_size() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return 0;
  return static_cast<index_t>(info.f_blocks) * static_cast<index_t>(info.f_frsize);
}

std::optional<index_t> parse_bytes(std::string_view text) {
  index_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  int shift = 0;
  if (suffix == "K" || suffix == "k")
    shift = 10;
  else if (suffix == "M" || suffix == "m")
    shift = 20;
  else if (suffix == "G" || suffix == "g")
    shift = 30;
  else if (suffix == "T" || suffix == "t")
    shift = 40;
  else if (!suffix.empty())
    return std::nullopt;
  if (value > (unlimited >> shift)) return std::nullopt;
  return value << shift;
}

std::string format_bytes(index_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return unit == 0 ? formatted("{} B", bytes) : formatted("{:.2f} {}", value, units[unit]);
}

}  // namespace tessera::detail
