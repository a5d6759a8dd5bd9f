// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>

#include <tessera/io/picture.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::io::detail {

/// How one dimension of a matrix becomes pixels: `block` elements become one cell, which is drawn with `zoom`
/// pixels. One of the two is 1, except for a side that is stretched. @local
struct PictureSide {
  index_t extent, block, zoom;
  index_t cells() const noexcept { return (extent + block - 1) / block; }
  index_t pixels() const noexcept { return cells() * zoom; }
  /// The number of elements in a cell; the last may have fewer.
  index_t elements_in(index_t cell) const noexcept { return std::min(block, extent - cell * block); }
};

/// The rows and the columns of a picture.
struct PictureShape {
  std::array<PictureSide, 2> sides;
  const PictureSide& rows() const noexcept { return sides[0]; }
  const PictureSide& columns() const noexcept { return sides[1]; }
};

/// Chooses blocks and zoom. @local @throws UsageError if there are no elements, or the options cannot be
PictureShape shape_of_picture(index_t rows, index_t columns, const PictureOptions& options);

}  // namespace tessera::io::detail
