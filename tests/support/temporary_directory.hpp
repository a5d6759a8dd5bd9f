// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <stdlib.h>

namespace tessera::test {

using Names = std::vector<std::string>;

/// The names in a directory, sorted. @local
inline Names names_in(const std::filesystem::path& directory) {
  Names list;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    list.push_back(entry.path().filename());
  std::sort(list.begin(), list.end());
  return list;
}

/// A new directory of this process. It is removed with its contents at the end. @local
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const noexcept { return path_; }
  Names names() const { return names_in(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::test
