// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <vector>

#include "pictures/canvas.hpp"
#include "pictures/palette.hpp"

namespace tessera::io::detail {

/// Throws unless this Tessera was built with libpng. @local @throws IoError
void require_png();
/// The bytes of a PNG file with these pixels. @local @throws IoError if libpng fails
std::vector<std::byte> png_of(const Canvas& canvas, const Palette& palette);

}  // namespace tessera::io::detail
