// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/generations.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <tessera/io/error.hpp>

#include "checkpoint/head.hpp"
#include "format.hpp"
#include "posix/file_paths.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::string_view suffix = ".h5";
constexpr std::int64_t max_generations = 999'999'999'999;

// The number of a file named <prefix>.<number>.h5<rest>; 0 for others.
std::int64_t number_in(const std::string& name, const std::string& prefix, std::string& rest) {
  if (name.rfind(prefix + '.', 0) != 0) return 0;
  const char* begin = name.data() + prefix.size() + 1;
  const char* end = name.data() + name.size();
  std::int64_t number = 0;
  const auto read = std::from_chars(begin, end, number);
  rest.assign(read.ptr, end);
  const auto digits = read.ptr - begin;
  // Only as generation_path writes it.
  const bool is_ours = digits == 6 || (digits > 6 && number <= max_generations && *begin != '0');
  if (read.ec != std::errc() || number < 1 || !is_ours || rest.rfind(suffix, 0) != 0) return 0;
  rest.erase(0, suffix.size());
  return number;
}

}  // namespace

std::filesystem::path generation_path(const std::filesystem::path& prefix, std::int64_t number) {
  std::filesystem::path path = prefix;
  path += formatted(".{:06}{}", number, suffix);
  return path;
}

std::vector<Generation> list_generations(const std::filesystem::path& prefix) {
  std::vector<Generation> list;
  std::error_code error;
  std::string rest;
  for (std::filesystem::directory_iterator at(directory_of(prefix), error), end; !error && at != end;
       at.increment(error)) {
    const auto number = number_in(at->path().filename().string(), prefix.filename().string(), rest);
    if (number > 0 && rest.empty()) list.push_back({number, generation_path(prefix, number)});
  }
  if (error)
    throw IoError(formatted("directory {} cannot be read: {}", directory_of(prefix).string(), error.message()));
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  return list;
}

std::int64_t next_generation(const std::filesystem::path& prefix) {
  const auto older = list_generations(prefix);
  if (older.empty()) return 1;
  if (older.front().number == max_generations)
    throw IoError(formatted("no number is left after that of {}; remove it, or take another path",
                            older.front().file.string()));
  return older.front().number + 1;
}

void remove_older(const std::filesystem::path& prefix, int keep,
                  const std::vector<std::filesystem::path>& damaged) {
  for (const Generation& generation : list_generations(prefix)) {
    if (!has_seal(generation.file)) continue;
    if (keep > 0) {
      keep -= static_cast<int>(std::find(damaged.begin(), damaged.end(), generation.file) == damaged.end());
      continue;
    }
    std::error_code error;
    if (!std::filesystem::remove(generation.file, error) && error)
      throw IoError(formatted("{} cannot be removed: {}", generation.file.string(), error.message()));
  }
}

void remove_leftovers(const std::filesystem::path& prefix) noexcept {
  std::error_code error, ignored;
  std::string rest;
  for (std::filesystem::directory_iterator at(directory_of(prefix), error), end; !error && at != end;
       at.increment(error)) {
    if (number_in(at->path().filename().string(), prefix.filename().string(), rest) > 0 &&
        rest.rfind(".tmp-", 0) == 0 &&
        at->symlink_status(ignored).type() == std::filesystem::file_type::regular)
      std::filesystem::remove(at->path(), ignored);
  }
}

}  // namespace tessera::io::detail
