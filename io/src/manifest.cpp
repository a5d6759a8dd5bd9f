// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "manifest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

#include <tessera/io/error.hpp>

#include "checksum.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

constexpr const char* byte_order = std::endian::native == std::endian::little ? "little" : "big";
constexpr std::array<const char*, 3> kind_names{"array", "value", "text"};
constexpr std::string_view seal_title = "Tessera checkpoint, format 1\n";

// A word of its own line, and what follows it.
std::string field(std::istream& lines, const std::string& name) {
  std::string line;
  if (!std::getline(lines, line) || line.rfind(name + ' ', 0) != 0)
    throw IoError(formatted("there is no \"{}\" where it should be", name));
  return line.substr(name.size() + 1);
}

std::uint64_t number(const std::string& text, int base) {
  std::size_t end = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(text, &end, base);
  } catch (const std::exception&) {
    end = text.size() + 1;
  }
  if (end != text.size()) throw IoError(formatted("\"{}\" is no number", text));
  return value;
}

index_t count(std::istream& lines, const std::string& name) {
  return static_cast<index_t>(number(field(lines, name), 10));
}

// As its line has it: kind, type, size, offset, extents, name.
std::string line_of(const Entry& entry) {
  return formatted("{} {} {} {:020} {}{}{} {}\n", kind_names[static_cast<std::size_t>(entry.kind)],
                   to_string(entry.type.kind), entry.type.size, entry.offset, entry.extents.size(),
                   entry.extents.empty() ? "" : " ", joined(entry.extents, " "), entry.name);
}

Entry entry_of(const std::string& line) {
  std::istringstream words(line);
  Entry entry;
  std::string kind, type;
  std::size_t rank = 0;
  words >> kind >> type >> entry.type.size >> entry.offset >> rank;
  entry.extents.resize(std::min(rank, static_cast<std::size_t>(max_rank)));
  for (index_t& extent : entry.extents) words >> extent;
  words.ignore(1);
  std::getline(words, entry.name);
  const auto known = std::find(kind_names.begin(), kind_names.end(), kind);
  bool has_type = false;
  for (int k = 0; k <= static_cast<int>(ElementKind::complex128); ++k) {
    if (type != to_string(static_cast<ElementKind>(k))) continue;
    entry.type.kind = static_cast<ElementKind>(k);
    has_type = true;
  }
  if (words.fail() || known == kind_names.end() || !has_type)
    throw IoError(formatted("\"{}\" is no line of a manifest", line));
  entry.kind = static_cast<EntryKind>(known - kind_names.begin());
  return entry;
}

std::string read_text(const Descriptor& file, index_t offset, index_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  read_at(file, std::as_writable_bytes(std::span(text)), offset);
  return text;
}

Seal read_seal(const Descriptor& file) {
  const index_t size = size_of_file(file);
  const std::string text = read_text(file, 0, std::min(size, Seal::bytes));
  if (text.find_first_not_of('\0') == std::string::npos)
    throw IoError(size == 0 ? "the file is empty" : "the file was never completed: it has no seal");
  Seal seal;
  // Whatever is wrong in it, it is then not what the seal of these numbers would be.
  try {
    if (text.rfind(seal_title, 0) != 0) throw IoError("no title");
    std::istringstream lines(text.substr(seal_title.size()));
    seal.file_size = count(lines, "size");
    seal.manifest_offset = count(lines, "manifest");
    seal.manifest_size = count(lines, "length");
    seal.manifest_checksum = number(field(lines, "checksum"), 16);
    seal.frame_checksum = number(field(lines, "frame"), 16);
  } catch (const IoError&) {
    throw IoError("its seal (the first 4096 bytes) is damaged, or this is no checkpoint");
  }
  if (seal.text() != text) throw IoError("its seal (the first 4096 bytes) is damaged");
  if (seal.file_size != size)
    throw IoError(formatted("the file has {} bytes, but had {} when it was written; was it truncated?", size,
                            seal.file_size));
  return seal;
}

}  // namespace

std::string describe(const Entry& entry) {
  return formatted("{} \"{}\"", entry.kind == EntryKind::array ? "array" : "value", entry.name);
}

std::string Manifest::text() const {
  std::string text = formatted(
      "step {}\ngeneration {}\nwritten {}\nlibrary {}\norder {}\ntiles {}\nchecksums {:020}\nentries {}\n",
      step, generation, written, library, byte_order, tiles, checksums_offset, entries.size());
  for (const Entry& entry : entries) text += line_of(entry);
  return text;
}

Manifest parse_manifest(const std::string& text) {
  std::istringstream lines(text);
  Manifest manifest;
  manifest.step = static_cast<std::int64_t>(std::stoll(field(lines, "step")));
  manifest.generation = count(lines, "generation");
  manifest.written = field(lines, "written");
  manifest.library = field(lines, "library");
  if (const std::string order = field(lines, "order"); order != byte_order)
    throw IoError(formatted("it was written on a machine of {}-endian byte order", order));
  manifest.tiles = count(lines, "tiles");
  manifest.checksums_offset = count(lines, "checksums");
  const index_t entries = count(lines, "entries");
  std::string line;
  while (std::getline(lines, line)) manifest.entries.push_back(entry_of(line));
  if (static_cast<index_t>(manifest.entries.size()) != entries ||
      number_tiles(manifest.entries) != manifest.tiles)
    throw IoError("its manifest does not fit together");
  return manifest;
}

std::string Seal::text() const {
  std::string text(seal_title);
  text += formatted("size {}\nmanifest {}\nlength {}\nchecksum {:016x}\nframe {:016x}\n", file_size,
                    manifest_offset, manifest_size, manifest_checksum, frame_checksum);
  text += formatted("seal {:016x}\n", checksum(text));
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

std::uint64_t frame_checksum(const Descriptor& file, index_t file_size, const std::vector<Entry>& entries) {
  std::vector<std::pair<index_t, index_t>> data;  // begin and end
  for (const Entry& entry : entries) data.emplace_back(entry.offset, entry.offset + entry.bytes());
  data.emplace_back(file_size, file_size);
  std::sort(data.begin(), data.end());
  RunningChecksum sum;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  index_t at = Seal::bytes;
  for (const auto& [begin, end] : data) {
    while (at < begin) {
      const auto part = std::span(buffer).first(std::min(buffer.size(), static_cast<std::size_t>(begin - at)));
      read_at(file, part, at);
      sum.add(part);
      at += static_cast<index_t>(part.size());
    }
    at = std::max(at, end);
  }
  return sum.value();
}

bool has_seal(const std::filesystem::path& path) {
  try {
    return read_text(open_to_read(path), 0, static_cast<index_t>(seal_title.size())) == seal_title;
  } catch (const IoError&) {
    return false;
  }
}

Head read_head(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) throw IoError("this is a directory");
  const Descriptor file = open_to_read(path);
  const Seal seal = read_seal(file);
  Head head;
  head.file_size = seal.file_size;
  head.text = read_text(file, seal.manifest_offset, seal.manifest_size);
  if (checksum(head.text) != seal.manifest_checksum) throw IoError("its manifest is damaged");
  head.manifest = parse_manifest(head.text);
  if (frame_checksum(file, seal.file_size, head.manifest.entries) != seal.frame_checksum)
    throw IoError("its HDF5 structures or its table of checksums are damaged");
  head.checksums.resize(static_cast<std::size_t>(head.manifest.tiles));
  read_at(file, std::as_writable_bytes(std::span(head.checksums)), head.manifest.checksums_offset);
  return head;
}

}  // namespace tessera::io::detail
