// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/picture_shape.hpp"

#include "format.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t wanted_pixels = 400;  // of the longer side
constexpr index_t least_pixels = 16;    // of the shorter side
constexpr int least_limit = 32, greatest_limit = 16384;

index_t rounded_up(index_t dividend, index_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

PictureShape shape_of_picture(index_t rows, index_t columns, const PictureOptions& options) {
  const index_t longest = std::max(rows, columns);
  if (rows == 0 || columns == 0)
    throw UsageError(formatted("a matrix of extents {} x {} has no elements to draw", rows, columns));
  if (options.most_pixels < least_limit || options.most_pixels > greatest_limit)
    throw UsageError(
        formatted("most_pixels is {}; it must be {} to {}", options.most_pixels, least_limit, greatest_limit));
  if (options.pixels < 0)
    throw UsageError(formatted("{} pixels cannot be the side of an element", options.pixels));
  PictureShape shape{{PictureSide{rows, 1, options.pixels}, PictureSide{columns, 1, options.pixels}}};
  if (options.pixels > 0) {
    if (longest > options.most_pixels / options.pixels)
      throw UsageError(formatted("{} elements of {} pixels are longer than most_pixels, {}", longest,
                                 options.pixels, options.most_pixels));
    return shape;
  }
  const index_t block = rounded_up(longest, options.most_pixels);
  index_t most_cells = 1;
  for (PictureSide& side : shape.sides) {
    side.block = std::clamp<index_t>(side.extent / least_pixels, 1, block);
    most_cells = std::max(most_cells, side.cells());
  }
  const index_t zoom = std::clamp<index_t>(rounded_up(wanted_pixels, most_cells), 1,
                                           std::max<index_t>(1, options.most_pixels / most_cells));
  for (PictureSide& side : shape.sides) side.zoom = std::max(zoom, rounded_up(least_pixels, side.cells()));
  return shape;
}

}  // namespace tessera::io::detail
