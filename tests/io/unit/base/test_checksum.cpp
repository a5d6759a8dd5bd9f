// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <random>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "base/checksum.hpp"
#include "comparison.hpp"

namespace {

using tessera::io::detail::checksum;
using tessera::io::detail::RunningChecksum;
using tessera::test::Comparison;

// XXH3 with 64 bits and without a seed, of nothing: the value that the authors of xxHash publish.
TEST(Checksum, of_nothing_is_the_published_value) {
  EXPECT_EQ(checksum(std::string_view()), 0x2d06800538d394c2U);
  EXPECT_EQ(RunningChecksum().value(), 0x2d06800538d394c2U);
}

TEST(Checksum, of_parts_is_that_of_the_whole) {
  std::mt19937_64 random(17);
  std::string text;
  for (int i = 0; i < 3000; ++i) text.push_back(static_cast<char>(random()));
  Comparison compared;
  for (std::size_t cut = 0; cut <= text.size(); cut += 37) {
    const auto bytes = std::as_bytes(std::span(text));
    RunningChecksum parts;
    parts.add(bytes.first(cut));
    parts.add(bytes.subspan(cut));
    compared(cut, checksum(text), parts.value());
  }
  EXPECT_TRUE(compared.equal());
}

TEST(Checksum, changes_with_every_bit) {
  std::string text(300, 'a');
  const auto before = checksum(text);
  Comparison compared;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    const char kept = text[bit / 8];
    text[bit / 8] = static_cast<char>(kept ^ (1 << bit % 8));
    compared.check(checksum(text) != before, bit, "another checksum", "the same");
    text[bit / 8] = kept;
  }
  EXPECT_TRUE(compared.equal());
}

}  // namespace
