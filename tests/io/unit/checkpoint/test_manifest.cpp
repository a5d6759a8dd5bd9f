// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/io/error.hpp>

#include "checkpoint/manifest.hpp"
#include "comparison.hpp"
#include "expect_words.hpp"
#include "message_of.hpp"

namespace {

using tessera::ElementKind;
using tessera::index_t;
using tessera::io::IoError;
using tessera::io::detail::Entry;
using tessera::io::detail::EntryKind;
using tessera::io::detail::Manifest;
using tessera::io::detail::parse_manifest;
using tessera::test::Comparison;
using tessera::test::expect_words;
using tessera::test::message_of;

// The manifest of a small checkpoint, written by hand.
std::string manifest_by_hand() {
  const std::string order = std::endian::native == std::endian::little ? "little" : "big";
  return "step -3\ngeneration 2\nwritten 2026-01-31T12:00:00Z\nlibrary 0.1.0\norder " + order +
         "\ntiles 4\nchecksums 00000000000000065536\nentries 4\n"
         "value float64 8 00000000000000008192 0 time\n"
         "text bytes 1 00000000000000012288 1 11 my notes\n"
         "array bytes 3 00000000000000000000 2 4 0 none\n"
         "array float64 8 00000000000000016384 3 30 40 200 fields/density\n";
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  ASSERT_NE(text.find(what), std::string::npos) << what;
  text.replace(text.find(what), what.size(), by);
}

void expect_entry(const Entry& entry, EntryKind kind, ElementKind element, const std::vector<index_t>& extents,
                  index_t offset, const std::string& name) {
  EXPECT_EQ(entry.kind, kind) << name;
  EXPECT_EQ(entry.type.kind, element) << name;
  EXPECT_EQ(entry.extents, extents) << name;
  EXPECT_EQ(entry.offset, offset) << name;
  EXPECT_EQ(entry.name, name);
}

// Parses a text that was changed. It must be refused, or have a meaning of its own with exactly this text.
bool is_refused_or_kept(const std::string& text) {
  try {
    return parse_manifest(text).text() == text;
  } catch (const IoError& error) {
    return std::string_view(error.what()).size() > 8;
  }
}

TEST(ManifestText, written_by_hand_is_parsed) {
  const Manifest found = parse_manifest(manifest_by_hand());
  EXPECT_EQ(found.step, -3);
  EXPECT_EQ(found.generation, 2);
  EXPECT_EQ(found.written, "2026-01-31T12:00:00Z");
  EXPECT_EQ(found.library, "0.1.0");
  EXPECT_EQ(found.tiles, 4);
  EXPECT_EQ(found.checksums_offset, 65536);
  ASSERT_EQ(found.entries.size(), 4U);
  expect_entry(found.entries[0], EntryKind::value, ElementKind::float64, {}, 8192, "time");
  expect_entry(found.entries[1], EntryKind::text, ElementKind::bytes, {11}, 12288, "my notes");
  expect_entry(found.entries[2], EntryKind::array, ElementKind::bytes, {4, 0}, 0, "none");
  expect_entry(found.entries[3], EntryKind::array, ElementKind::float64, {30, 40, 200}, 16384,
               "fields/density");
  EXPECT_EQ(found.entries[2].type.size, 3);
}

TEST(ManifestText, is_as_written_by_hand) {
  Manifest manifest;
  manifest.step = -3;
  manifest.generation = 2;
  manifest.written = "2026-01-31T12:00:00Z";
  manifest.library = "0.1.0";
  manifest.tiles = 4;
  manifest.checksums_offset = 65536;
  manifest.entries.resize(4);
  Entry &time = manifest.entries[0], &notes = manifest.entries[1], &none = manifest.entries[2],
        &density = manifest.entries[3];
  time.name = "time", time.kind = EntryKind::value, time.type = {ElementKind::float64, 8}, time.offset = 8192;
  notes.name = "my notes", notes.kind = EntryKind::text, notes.type = {ElementKind::bytes, 1},
  notes.extents = {11}, notes.offset = 12288;
  none.name = "none", none.type = {ElementKind::bytes, 3}, none.extents = {4, 0};
  density.name = "fields/density", density.type = {ElementKind::float64, 8}, density.extents = {30, 40, 200},
  density.offset = 16384;
  EXPECT_EQ(manifest.text(), manifest_by_hand());
}

TEST(ManifestText, has_the_same_length_for_all_offsets) {
  Manifest manifest = parse_manifest(manifest_by_hand());
  const std::size_t length = manifest.text().size();
  for (const index_t offset : {index_t{0}, index_t{1} << 40, INT64_MAX}) {
    manifest.checksums_offset = offset;
    for (Entry& entry : manifest.entries) entry.offset = offset;
    EXPECT_EQ(manifest.text().size(), length) << offset;
  }
}

TEST(ManifestText, that_is_cut_anywhere_is_refused) {
  const std::string whole = manifest_by_hand();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    EXPECT_THROW(parse_manifest(whole.substr(0, length)), IoError);
  }
}

TEST(ManifestText, with_a_changed_byte_is_refused_or_has_exactly_that_text) {
  const std::string whole = manifest_by_hand();
  Comparison compared;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char by : {'0', '9', ' ', '\n', '-', 'x', '\0', '\xff'}) {
      std::string changed = whole;
      changed[at] = by;
      compared.check(is_refused_or_kept(changed), at, "an error or the same text", changed);
      changed = whole;
      changed.insert(at, 1, by);
      compared.check(is_refused_or_kept(changed), at, "an error or the same text", changed);
    }
    std::string shorter = whole;
    shorter.erase(at, 1);
    compared.check(is_refused_or_kept(shorter), at, "an error or the same text", shorter);
  }
  EXPECT_TRUE(compared.equal());
}

TEST(ManifestText, with_a_missing_a_repeated_or_another_line_is_refused) {
  const std::string whole = manifest_by_hand();
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = whole.find('\n', begin) + 1;
    const std::string line = whole.substr(begin, end - begin);
    SCOPED_TRACE(line);
    std::string without = whole, twice = whole;
    EXPECT_THROW(parse_manifest(without.erase(begin, line.size())), IoError);
    EXPECT_THROW(parse_manifest(twice.insert(begin, line)), IoError);
    begin = end;
  }
  EXPECT_THROW(parse_manifest(whole + "\n"), IoError);
  EXPECT_THROW(parse_manifest("\n" + whole), IoError);
}

TEST(ManifestText, of_another_byte_order_is_refused) {
  const bool is_little = std::endian::native == std::endian::little;
  std::string text = manifest_by_hand();
  replace(text, is_little ? "order little" : "order big", is_little ? "order big" : "order little");
  expect_words(message_of<IoError>([&] { parse_manifest(text); }),
               {is_little ? "big-endian" : "little-endian", "byte order"});
}

TEST(ManifestText, with_large_entries_before_light_ones_is_refused) {
  std::string text = manifest_by_hand();
  const auto first = text.find("value float64"), last = text.find("array float64");
  const std::string density = text.substr(last);
  text = text.substr(0, first) + density + text.substr(first, last - first);
  expect_words(message_of<IoError>([&] { parse_manifest(text); }), {"does not fit together"});
}

TEST(ManifestText, with_two_entries_of_one_name_is_refused) {
  std::string text = manifest_by_hand();
  replace(text, "my notes", "time");
  expect_words(message_of<IoError>([&] { parse_manifest(text); }), {"there are two of value \"time\""});
}

TEST(ManifestText, counts_the_tiles_of_each_entry) {
  // 30 x 40 x 200 elements of 8 bytes are 1.9 MB, so two tiles of 1 MiB.
  for (const char* other : {"tiles 0", "tiles 3", "tiles 5"}) {
    std::string text = manifest_by_hand();
    replace(text, "tiles 4", other);
    EXPECT_THROW(parse_manifest(text), IoError) << other;
  }
}

}  // namespace
