// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/names.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::size_t longest_name = 1024;

template <class Test>
bool any_part(std::string_view name, Test&& test) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (test(name.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

// HDF5 skips ".", and other programs take ".." for the group above.
bool is_dots(std::string_view part) { return part == "." || part == ".."; }
// HDF5 skips empty parts, too.
bool is_bare(std::string_view part) { return part.empty() || is_dots(part); }

}  // namespace

void check_dataset_name(std::string_view call, std::string_view name) {
  if (name.size() > longest_name) {
    throw UsageError(formatted("{}: a name of {} bytes, \"{}...\", is longer than {}", call, name.size(),
                               printable(name.substr(0, 40)), longest_name));
  }
  const std::string shown = printable(name);
  if (shown != name)
    throw UsageError(formatted(
        "{}: \"{}\" cannot be a name, as there is more in it than characters of UTF-8 text that can be "
        "seen",
        call, shown));
  if (any_part(name, is_bare))
    throw UsageError(formatted("{}: \"{}\" cannot be a name; names look like \"density\" or \"fields/density\"",
                               call, name));
  if (name.rfind("tessera_", 0) == 0)
    throw UsageError(formatted("{}: \"{}\" begins with \"tessera_\", as Tessera's own do", call, name));
}

bool is_dataset_and_group(std::string_view one, std::string_view other) noexcept {
  if (one.size() > other.size()) std::swap(one, other);
  return one.size() < other.size() && other.starts_with(one) && other[one.size()] == '/';
}

void check_name_in_file(std::string_view call, std::string_view name) {
  const char* why = name.find('\0') != std::string_view::npos ? "it has a byte of zero in it"
                    : any_part(name, is_dots)                 ? "a part of it is \".\" or \"..\""
                                                              : nullptr;
  if (why != nullptr)
    throw UsageError(formatted("{}: \"{}\" cannot be a name in a file, as {}", call, printable(name), why));
}

void check_prefix(std::string_view call, std::string_view prefix) {
  if (prefix.find('\0') != std::string_view::npos)
    throw UsageError(
        formatted("{}: \"{}\" cannot be a path, as it has a byte of zero in it", call, printable(prefix)));
  const std::string name = std::filesystem::path(prefix).filename().string();
  if (name.empty() || name == "." || name == "..")
    throw UsageError(
        formatted("{}: \"{}\" does not end with a name that files could begin with", call, printable(prefix)));
}

}  // namespace tessera::io::detail
