// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tessera::fuzz {

/// The bytes of an input, one decision after the other. Past its end all decisions are 0.
class Recipe {
 public:
  Recipe(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  bool is_empty() const noexcept { return rest_.empty(); }
  /// The next number below n. @local
  unsigned pick(unsigned n) noexcept {
    if (rest_.empty()) return 0;
    const unsigned byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte % n;
  }
  bool flip() noexcept { return pick(2) == 1; }

 private:
  std::span<const std::uint8_t> rest_;
};

/// Writes an HDF5 file that HDF5 itself made, as the recipe says: datasets of odd types, shapes and storage,
/// attributes, links. It begins with nothing, or with one of these files, whose parts are replaced. Names of
/// other files are in `directory`. @local
void make_hdf5_file(Recipe& recipe, const std::filesystem::path& path, const std::filesystem::path& directory,
                    std::span<const std::string> originals);

}  // namespace tessera::fuzz
