// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/io/picture.hpp>

namespace tessera::io::detail {

/// The colours of a colour map; a picture has five more.
inline constexpr int levels = 251;

/// The colours of a pixel after those of the map.
struct Ink {
  static constexpr std::uint8_t nan = levels, infinity = levels + 1, minus_infinity = levels + 2,
                                black = levels + 3, white = levels + 4;
};

using Palette = std::array<Colour, 256>;

/// The level at a part of the range, 0 to 1. @local
inline std::uint8_t level_at(double part) noexcept {
  return static_cast<std::uint8_t>(part * (levels - 1) + 0.5);
}

/// All colours of a picture. @local
Palette palette_of(const PictureOptions& options);

}  // namespace tessera::io::detail
