// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/runtime/group.hpp>

namespace tessera::benchmark::io {

/// A new directory for files, known to every rank. It is removed at the end, with its contents.
class Scratch {
 public:
  /// @collective @throws Error on every rank if it cannot be made, or has less space than `bytes`
  Scratch(const Group& group, const std::filesystem::path& parent, index_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Drops its files from memory, as far as the file system can. The next read then comes from the disk, and
  /// the next writer finds as much free memory as the others. @collective
  void make_cold() const;
  /// Removes its files. @collective
  void clear() const;

 private:
  Group group_;
  std::filesystem::path path_;
};

}  // namespace tessera::benchmark::io
