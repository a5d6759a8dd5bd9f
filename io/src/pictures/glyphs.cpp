// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pictures/glyphs.hpp"

#include <algorithm>
#include <array>

namespace tessera::io::detail {
namespace {

// The characters from ' ' to '~'. A character is 8 rows of 5 bits, from the highest bits on; the last row is
// below the base line.
constexpr std::array<std::uint64_t, 95> ascii_glyphs{
    0x0000000000, 0x2108420080, 0x5294000000, 0x52beafa940, 0x23e8e2f880, 0xc644444c60, 0x64a88ac9a0,
    0x2110000000, 0x1110841040, 0x4104211100, 0x012aea9000, 0x0109f21000, 0x0000003088, 0x0001f00000,
    0x0000003180, 0x0844444200, 0x74675cc5c0, 0x23084211c0, 0x74422223e0, 0xf88820c5c0, 0x11952f8840,
    0xfc3c10c5c0, 0x3221e8c5c0, 0xf844442100, 0x7462e8c5c0, 0x7462f08980, 0x0318063000, 0x0318061100,
    0x1111041040, 0x003e0f8000, 0x4104111100, 0x7442220080, 0x746f5bc1c0, 0x7463f8c620, 0xf463e8c7c0,
    0x74610845c0, 0xe4a318cb80, 0xfc21e843e0, 0xfc21e84200, 0x746178c5e0, 0x8c63f8c620, 0x71084211c0,
    0x3884214980, 0x8ca98a4a20, 0x84210843e0, 0x8eeb58c620, 0x8c7359c620, 0x746318c5c0, 0xf463e84200,
    0x74631ac9a0, 0xf463ea4a20, 0x7c20e087c0, 0xf908421080, 0x8c6318c5c0, 0x8c6318a880, 0x8c635ad540,
    0x8c54454620, 0x8c54421080, 0xf8444443e0, 0x72108421c0, 0x8410410420, 0x70842109c0, 0x22a2000000,
    0x00000003e0, 0x4104000000, 0x001c17c5e0, 0x842d98c7c0, 0x001d0845c0, 0x085b38c5e0, 0x001d1fc1c0,
    0x3251c42100, 0x001f18bc2e, 0x842d98c620, 0x20184211c0, 0x100c210a4c, 0x84254c5240, 0x61084211c0,
    0x00355ad6a0, 0x002d98c620, 0x001d18c5c0, 0x003d18fa10, 0x001f18bc21, 0x002d984200, 0x001d0707c0,
    0x42388424c0, 0x002318cda0, 0x002318a880, 0x00231ad540, 0x0022a22a20, 0x002318bc2e, 0x003e2223e0,
    0x1108821040, 0x2108421080, 0x4108221100, 0x0011510000};

struct Sign {
  char32_t code;
  std::uint64_t rows;
};
constexpr std::array<Sign, 8> sign_glyphs{{
    {U'\u00b0', 0x64a4c00000},  // °
    {U'\u00b1', 0x213e4203e0},  // ±
    {U'\u00b2', 0x64888f0000},  // ²
    {U'\u00b3', 0xe0982e0000},  // ³
    {U'\u00b5', 0x002318eeb0},  // µ
    {U'\u00b7', 0x0000c60000},  // ·
    {U'\u00c5', 0x2288e8fe20},  // Å
    {U'\u00d7', 0x0454454400},  // ×
}};

std::uint64_t rows_of(char32_t code) {
  if (code >= U' ' && code <= U'~') return ascii_glyphs[code - U' '];
  const auto* const sign =
      std::find_if(sign_glyphs.begin(), sign_glyphs.end(), [&](const Sign& each) { return each.code == code; });
  return sign == sign_glyphs.end() ? ascii_glyphs['?' - ' '] : sign->rows;
}

}  // namespace

bool Glyph::has(int row, int column) const noexcept {
  return (rows_ >> static_cast<unsigned>((height - 1 - row) * width + width - 1 - column) & 1U) != 0;
}

std::vector<Glyph> glyphs_of(std::string_view text) {
  std::vector<Glyph> all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    char32_t code = lead;
    // In UTF-8, other bytes of a character are 10xxxxxx. The signs above have two bytes.
    std::size_t more = 0;
    while (lead >= 0xc0 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xc0U) == 0x80) {
      code = (code & 0x1fU) << 6U | (static_cast<unsigned char>(text[++i]) & 0x3fU);
      ++more;
    }
    all.emplace_back(rows_of(lead >= 0x80 && more != 1 ? U'?' : code));
  }
  return all;
}

}  // namespace tessera::io::detail
