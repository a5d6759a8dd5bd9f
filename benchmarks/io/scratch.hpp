// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>

#include <tessera/runtime/group.hpp>

namespace tessera::benchmark::io {

/// A new directory for files, which every rank knows and which is removed, with what is in it, at the end.
class Scratch {
 public:
  /// @collective @throws Error on every rank if it cannot be made, or has less space than `bytes`
  Scratch(const Group& group, const std::filesystem::path& parent, index_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Leaves nothing of its files in memory, as far as the file system can: what is read next comes from the
  /// disk, and the next writer finds as much free memory as the others. @collective
  void make_cold() const;
  /// Removes its files. @collective
  void clear() const;

 private:
  Group group_;
  std::filesystem::path path_;
};

}  // namespace tessera::benchmark::io
