// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::io::detail {

/// A character of a font of 5 x 8 points. @local
class Glyph {
 public:
  static constexpr int width = 5, height = 8;
  explicit Glyph(std::uint64_t rows) : rows_(rows) {}
  /// Whether there is a point.
  bool has(int row, int column) const noexcept;

 private:
  std::uint64_t rows_;
};

/// The characters of a UTF-8 text. Those that the font has not are question marks. @local
std::vector<Glyph> glyphs_of(std::string_view text);

}  // namespace tessera::io::detail
