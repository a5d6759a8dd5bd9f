// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::io::detail {

/// Pixels with colours of a palette. What is drawn outside is cut off. @local
class Canvas {
 public:
  Canvas(index_t width, index_t height, std::uint8_t colour);
  index_t width() const noexcept { return width_; }
  index_t height() const noexcept { return height_; }
  std::span<const std::uint8_t> row(index_t y) const;
  void fill(index_t x, index_t y, index_t width, index_t height, std::uint8_t colour);
  /// Writes a line whose upper left corner is at (x, y).
  void write(index_t x, index_t y, std::string_view text, std::uint8_t colour);

  /// The size of a text: a point of the font is 2 x 2 pixels.
  static constexpr index_t text_height = 16;
  static index_t text_width(std::string_view text);

 private:
  index_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace tessera::io::detail
