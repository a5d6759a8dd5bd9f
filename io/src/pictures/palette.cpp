// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/palette.hpp"

#include <span>

namespace tessera::io::detail {
namespace {

// Every fifth of the 256 colours of viridis, by S. van der Walt and N. Smith for matplotlib, under CC0. The
// colours between them are within one level of the linear interpolation.
constexpr std::array<std::uint32_t, 52> viridis_knots{
    0x440154, 0x46085c, 0x471063, 0x481769, 0x481d6f, 0x482475, 0x472a7a, 0x46307e, 0x453781,
    0x433d84, 0x414287, 0x3f4889, 0x3d4e8a, 0x3a538b, 0x38598c, 0x355e8d, 0x33638d, 0x31688e,
    0x2e6d8e, 0x2c718e, 0x2a768e, 0x297b8e, 0x27808e, 0x25848e, 0x23898e, 0x218e8d, 0x20928c,
    0x1f978b, 0x1e9c89, 0x1fa188, 0x21a585, 0x24aa83, 0x28ae80, 0x2eb37c, 0x35b779, 0x3dbc74,
    0x46c06f, 0x50c46a, 0x5ac864, 0x65cb5e, 0x70cf57, 0x7cd250, 0x89d548, 0x95d840, 0xa2da37,
    0xb0dd2f, 0xbddf26, 0xcae11f, 0xd8e219, 0xe5e419, 0xf1e51d, 0xfde725};

// K. Moreland, Diverging Color Maps for Scientific Visualization, ISVC 2009: the table of 33 colours.
constexpr std::array<std::uint32_t, 33> cool_warm_knots{
    0x3b4cc0, 0x445acc, 0x4d68d7, 0x5775e1, 0x6282ea, 0x6c8ef1, 0x779af7, 0x82a5fb, 0x8db0fe,
    0x98b9ff, 0xa3c2ff, 0xaec9fd, 0xb8d0f9, 0xc2d5f4, 0xccd9ee, 0xd5dbe6, 0xdddddd, 0xe5d8d1,
    0xecd3c5, 0xf1ccb9, 0xf5c4ad, 0xf7bba0, 0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63,
    0xe57058, 0xde604d, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426};

constexpr std::array<std::uint32_t, 2> grey_knots{0x000000, 0xffffff};

std::span<const std::uint32_t> knots_of(ColourMap map) {
  if (map == ColourMap::cool_warm) return cool_warm_knots;
  if (map == ColourMap::grey) return grey_knots;
  return viridis_knots;
}

// Level `level` of `last`, between knots at equal distances, rounded to the nearest.
std::uint8_t interpolated(std::span<const std::uint32_t> knots, unsigned shift, int level, int last) {
  const int intervals = static_cast<int>(knots.size()) - 1, at = level * intervals;
  const auto part = [&](int knot) {
    return static_cast<int>(knots[static_cast<std::size_t>(knot)] >> shift & 0xffU);
  };
  const int knot = at / last, rest = at % last;
  const int sum = part(knot) * (last - rest) + (rest == 0 ? 0 : part(knot + 1) * rest);
  return static_cast<std::uint8_t>((2 * sum + last) / (2 * last));
}

}  // namespace

Palette palette_of(const PictureOptions& options) {
  Palette all{};
  const auto knots = knots_of(options.map);
  for (int level = 0; level < levels; ++level) {
    all[static_cast<std::size_t>(level)] = {interpolated(knots, 16, level, levels - 1),
                                            interpolated(knots, 8, level, levels - 1),
                                            interpolated(knots, 0, level, levels - 1)};
  }
  all[Ink::nan] = options.nan;
  all[Ink::infinity] = options.infinity;
  all[Ink::minus_infinity] = options.minus_infinity;
  all[Ink::black] = {0, 0, 0};
  all[Ink::white] = {255, 255, 255};
  return all;
}

}  // namespace tessera::io::detail
