// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "pictures/glyphs.hpp"

namespace {

using tessera::io::detail::Glyph;
using tessera::io::detail::glyphs_of;

std::string drawn(const Glyph& glyph) {
  std::string all;
  for (int row = 0; row < Glyph::height; ++row) {
    for (int column = 0; column < Glyph::width; ++column) all += glyph.has(row, column) ? '#' : '.';
    all += '\n';
  }
  return all;
}

TEST(Glyphs, are_what_they_look_like) {
  EXPECT_EQ(drawn(glyphs_of("7").front()), "#####\n....#\n...#.\n..#..\n.#...\n.#...\n.#...\n.....\n");
  EXPECT_EQ(drawn(glyphs_of("g").front()), ".....\n.....\n.####\n#...#\n#...#\n.####\n....#\n.###.\n");
}

TEST(Glyphs, differ) {
  std::set<std::string> all;
  std::string text;
  for (char c = ' '; c <= '~'; ++c) text += c;
  text += "\u00b0\u00b1\u00b2\u00b3\u00b5\u00b7\u00c5\u00d7";
  for (const Glyph& glyph : glyphs_of(text)) all.insert(drawn(glyph));
  EXPECT_EQ(all.size(), 103U);
}

TEST(Glyphs, of_unknown_characters_are_question_marks) {
  const std::string mark = drawn(glyphs_of("?").front());
  for (const std::string& text :
       {std::string("\n"), std::string("\u00e4"), std::string("\u20ac"), std::string("\xf0\x9f\x98\x80"),
        std::string("\xb0"), std::string("\xc2"), std::string("\xff"), std::string("\x7f")}) {
    const auto glyphs = glyphs_of(text);
    ASSERT_EQ(glyphs.size(), 1U) << text;
    EXPECT_EQ(drawn(glyphs.front()), mark) << text;
  }
  EXPECT_EQ(glyphs_of("\xc2x").size(), 2U);
}

}  // namespace
