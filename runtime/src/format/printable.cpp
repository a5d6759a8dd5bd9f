// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "printable.hpp"

#include <cstddef>
#include <cstdio>

namespace tessera {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The first character of a text that is not empty. As in RFC 3629, overlong forms and surrogates are not UTF-8.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

// Whether a terminal takes it for a command, the end of a line, or a change of the writing direction.
bool is_command(char32_t code) {
  const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
  return within(0, 0x1f) || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069);
}

std::string escaped(const char* format, unsigned code) {
  char text[16];
  std::snprintf(text, sizeof text, format, code);
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const Character next = first_of(text);
    if (next.bytes == 0 || (next.bytes == 1 && is_command(next.code)))
      all += escaped("\\x%02x", static_cast<unsigned char>(text.front()));
    else if (is_command(next.code))
      all += escaped("\\u%04x", static_cast<unsigned>(next.code));
    else
      all += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return all;
}

}  // namespace tessera
