// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/canvas.hpp"

#include <algorithm>

#include "pictures/glyphs.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t point_pixels = 2, glyph_pixels = (Glyph::width + 1) * point_pixels;
static_assert(Canvas::text_height == Glyph::height * point_pixels);

}  // namespace

Canvas::Canvas(index_t width, index_t height, std::uint8_t colour)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), colour) {}

std::span<const std::uint8_t> Canvas::row(index_t y) const {
  return std::span(pixels_).subspan(static_cast<std::size_t>(y * width_), static_cast<std::size_t>(width_));
}

void Canvas::fill(index_t x, index_t y, index_t width, index_t height, std::uint8_t colour) {
  const index_t x_end = std::min(x + width, width_), y_end = std::min(y + height, height_);
  x = std::max<index_t>(x, 0);
  for (y = std::max<index_t>(y, 0); y < y_end && x < x_end; ++y)
    std::fill_n(pixels_.begin() + (y * width_ + x), x_end - x, colour);
}

void Canvas::write(index_t x, index_t y, std::string_view text, std::uint8_t colour) {
  for (const Glyph& glyph : glyphs_of(text)) {
    for (int row = 0; row < Glyph::height; ++row) {
      for (int column = 0; column < Glyph::width; ++column) {
        if (glyph.has(row, column))
          fill(x + column * point_pixels, y + row * point_pixels, point_pixels, point_pixels, colour);
      }
    }
    x += glyph_pixels;
  }
}

index_t Canvas::text_width(std::string_view text) {
  return static_cast<index_t>(glyphs_of(text).size()) * glyph_pixels;
}

}  // namespace tessera::io::detail
