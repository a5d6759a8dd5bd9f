// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace tessera::fuzz {

/// A file in memory, where there is such a place, for parsers that take paths. It is removed at the end. @local
class ScratchFile {
 public:
  ScratchFile() {
    const std::filesystem::path memory = "/dev/shm";
    path_ = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    path_ /= "tessera-fuzz-" + std::to_string(getpid());
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::fuzz
