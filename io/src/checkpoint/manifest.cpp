// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/manifest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

#include <tessera/io/error.hpp>

#include "base/fields.hpp"
#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {
namespace {

constexpr const char* byte_order = std::endian::native == std::endian::little ? "little" : "big";
constexpr std::array<const char*, 3> kind_names{"array", "value", "text"};

// The line of an entry: kind, type, size, offset, extents, name.
std::string line_of(const Entry& entry) {
  return formatted("{} {} {} {:020} {}{}{} {}\n", kind_names[static_cast<std::size_t>(entry.kind)],
                   to_string(entry.type.kind), entry.type.size, entry.offset, entry.extents.size(),
                   entry.extents.empty() ? "" : " ", joined(entry.extents, " "), entry.name);
}

EntryKind kind_of(std::string_view name) {
  const auto known = std::find(kind_names.begin(), kind_names.end(), name);
  if (known == kind_names.end()) throw IoError(formatted("\"{}\" is no kind of entry", printable(name)));
  return static_cast<EntryKind>(known - kind_names.begin());
}

ElementKind element_kind_of(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(ElementKind::complex128); ++k) {
    if (name == to_string(static_cast<ElementKind>(k))) return static_cast<ElementKind>(k);
  }
  throw IoError(formatted("\"{}\" is no kind of element", printable(name)));
}

Entry entry_of(std::string_view line) {
  Fields words(line, ' ');
  Entry entry;
  entry.kind = kind_of(words.next());
  entry.type.kind = element_kind_of(words.next());
  entry.type.size = words.count();
  entry.offset = words.count();
  const index_t rank = words.count();
  if (rank > max_rank) throw IoError(formatted("{} extents are more than there may be, {}", rank, max_rank));
  for (index_t d = 0; d < rank; ++d) entry.extents.push_back(words.count());
  entry.name = words.rest();
  return entry;
}

// Accepts what add() and the types of C++ allow.
void check_entry(const Entry& entry) {
  const auto fail = [&](const std::string& why) { throw IoError(describe(entry) + ' ' + why); };
  const index_t rank = static_cast<index_t>(entry.extents.size()), size = entry.type.size;
  const index_t least = entry.kind == EntryKind::value ? 0 : 1,
                most = entry.kind == EntryKind::array ? max_rank : 1;
  if (entry.name.empty()) fail("has no name");
  if (rank < least || rank > most) fail(formatted("has {} extents", rank));
  const bool is_right = entry.type.kind == ElementKind::bytes ? size >= 1 && size <= max_element_bytes
                                                              : size == size_of(entry.type.kind);
  if (!is_right || (entry.kind == EntryKind::text && size != 1))
    fail(formatted("has elements of {} bytes, which \"{}\" cannot have", size, to_string(entry.type.kind)));
  index_t elements = 1, bytes = 0;
  bool fits = true, is_empty = false;
  for (const index_t extent : entry.extents) {
    fits = fits && !__builtin_mul_overflow(elements, std::max<index_t>(extent, 1), &elements);
    is_empty = is_empty || extent == 0;
  }
  fits = fits && (is_empty || !__builtin_mul_overflow(elements, size, &bytes));
  if (!fits) fail(formatted("of {} elements has more bytes than can be counted", joined(entry.extents, " x ")));
}

}  // namespace

std::string describe(const Entry& entry) {
  return formatted("{} \"{}\"", entry.kind == EntryKind::array ? "array" : "value", printable(entry.name));
}

std::string Manifest::text() const {
  std::string text = formatted(
      "step {}\ngeneration {}\nwritten {}\nlibrary {}\norder {}\ntiles {}\nchecksums {:020}\nentries {}\n",
      step, generation, written, library, byte_order, tiles, checksums_offset, entries.size());
  for (const Entry& entry : entries) text += line_of(entry);
  return text;
}

Manifest parse_manifest(const std::string& text) {
  Fields lines(text, '\n');
  Manifest manifest;
  manifest.step = lines.number("step");
  manifest.generation = lines.count("generation");
  manifest.written = lines.next("written");
  manifest.library = lines.next("library");
  if (const auto order = lines.next("order"); order != byte_order)
    throw IoError(formatted("it was written on a machine of {}-endian byte order", printable(order)));
  manifest.tiles = lines.count("tiles");
  manifest.checksums_offset = lines.count("checksums");
  const index_t entries = lines.count("entries");
  while (!lines.at_end()) {
    manifest.entries.push_back(entry_of(lines.next()));
    check_entry(manifest.entries.back());
  }
  std::set<std::string_view> names;
  index_t bytes = 0;  // at least the number of tiles
  for (const Entry& entry : manifest.entries) {
    if (!names.insert(entry.name).second) throw IoError(formatted("there are two of {}", describe(entry)));
    if (__builtin_add_overflow(bytes, entry.bytes(), &bytes))
      throw IoError("its entries have more bytes than can be counted");
  }
  // The writer computed each of these numbers, and there is only one way to write a manifest.
  if (static_cast<index_t>(manifest.entries.size()) != entries ||
      number_tiles(manifest.entries) != manifest.tiles || manifest.text() != text)
    throw IoError("its manifest does not fit together");
  return manifest;
}

}  // namespace tessera::io::detail
