// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/head.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <tessera/io/error.hpp>

#include "base/checksum.hpp"
#include "base/fields.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::string_view seal_title = "Tessera checkpoint, format 1\n";

// Upper bounds of what HDF5 writes for a file, a dataset, and each group of its path. Names come on top,
// several times.
constexpr index_t max_for_file = index_t{16} << 20, max_for_dataset = 65536, max_for_group = 16384;
constexpr index_t max_for_name_byte = 16;

std::string read_text(const Descriptor& file, index_t offset, index_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  read_at(file, std::as_writable_bytes(std::span(text)), offset);
  return text;
}

std::optional<Seal> parse_seal(std::string_view text) {
  if (text.rfind(seal_title, 0) != 0) return std::nullopt;
  Fields lines(text.substr(seal_title.size()), '\n');
  Seal seal;
  try {
    seal.file_size = lines.count("size");
    seal.manifest_offset = lines.count("manifest");
    seal.manifest_size = lines.count("length");
    seal.manifest_checksum = lines.checksum("checksum");
    seal.frame_checksum = lines.checksum("frame");
  } catch (const IoError&) {
    return std::nullopt;
  }
  return seal;
}

Seal read_seal(const Descriptor& file) {
  const index_t size = size_of_file(file);
  const std::string text = read_text(file, 0, std::min(size, Seal::bytes));
  if (text.find_first_not_of('\0') == std::string::npos)
    throw IoError(size == 0 ? "the file is empty" : "the file was never completed: it has no seal");
  const auto seal = parse_seal(text);
  if (!seal) throw IoError("its seal (the first 4096 bytes) is damaged, or this is no checkpoint");
  // Any damage makes the text differ from the seal of these numbers.
  if (seal->text() != text) throw IoError("its seal (the first 4096 bytes) is damaged");
  if (seal->file_size != size)
    throw IoError(formatted("the file has {} bytes, but had {} when it was written; was it truncated?", size,
                            seal->file_size));
  return *seal;
}

// A part of the file that the seal or the manifest names.
struct FilePart {
  index_t begin = 0, bytes = 0;
  std::string what;
};

void require_within(const FilePart& place, index_t file_size) {
  if (place.begin >= Seal::bytes && place.bytes <= file_size - Seal::bytes &&
      place.begin <= file_size - place.bytes)
    return;
  throw IoError(formatted("{}, {} bytes at byte {}, does not fit into the file, which has {} bytes", place.what,
                          place.bytes, place.begin, file_size));
}

FilePart place_of(const Seal& seal) { return {seal.manifest_offset, seal.manifest_size, "its manifest"}; }

void check_manifest_place(const Seal& seal) {
  if (seal.manifest_size > max_manifest_bytes)
    throw IoError(formatted("a manifest of {} bytes is longer than {}, the longest there may be",
                            seal.manifest_size, max_manifest_bytes));
  require_within(place_of(seal), seal.file_size);
}

}  // namespace

std::string Seal::text() const {
  std::string text(seal_title);
  text += formatted("size {}\nmanifest {}\nlength {}\nchecksum {:016x}\nframe {:016x}\n", file_size,
                    manifest_offset, manifest_size, manifest_checksum, frame_checksum);
  text += formatted("seal {:016x}\n", checksum(text));
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

void check_places(const Seal& seal, const Manifest& manifest) {
  check_manifest_place(seal);
  // Each tile has bytes, all of them in the file. Once this is checked, 8 times the number of tiles cannot
  // overflow.
  std::vector<FilePart> places{place_of(seal)};
  index_t rest = seal.file_size - Seal::bytes, max_rest = max_for_file;
  max_rest += max_for_name_byte * seal.manifest_size;
  for (const Entry& entry : manifest.entries) {
    max_rest += max_for_dataset +
                max_for_group * static_cast<index_t>(std::count(entry.name.begin(), entry.name.end(), '/'));
    if (entry.bytes() == 0) continue;
    places.push_back({entry.offset, entry.bytes(), describe(entry)});
    require_within(places.back(), seal.file_size);
  }
  if (manifest.tiles > seal.file_size / 8)
    throw IoError(
        formatted("{} checksums do not fit into the file, which has {} bytes", manifest.tiles, seal.file_size));
  if (manifest.tiles > 0) {
    places.push_back({manifest.checksums_offset, 8 * manifest.tiles, "its table of checksums"});
    require_within(places.back(), seal.file_size);
  }
  std::sort(places.begin(), places.end(),
            [](const FilePart& a, const FilePart& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i - 1].begin + places[i - 1].bytes > places[i].begin)
      throw IoError(formatted("{} and {} have the same bytes of the file", places[i - 1].what, places[i].what));
  }
  for (const FilePart& place : places) rest -= place.bytes;
  if (rest > max_rest)
    throw IoError(formatted("{} of its bytes belong to nothing that its manifest names", rest));
}

std::uint64_t frame_checksum(const Descriptor& file, index_t file_size, const std::vector<Entry>& entries) {
  std::vector<std::pair<index_t, index_t>> data;  // begin and end
  for (const Entry& entry : entries) {
    if (entry.bytes() > 0) data.emplace_back(entry.offset, entry.offset + entry.bytes());
  }
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
    const Descriptor file = open_regular(path, Use::read, Links::refuse);
    return read_text(file, 0, static_cast<index_t>(seal_title.size())) == seal_title;
  } catch (const IoError&) {
    return false;
  }
}

Head read_head(const std::filesystem::path& path) {
  const Descriptor file = open_regular(path, Use::read, Links::follow);
  const Seal seal = read_seal(file);
  check_manifest_place(seal);
  Head head;
  head.file_size = seal.file_size;
  head.text = read_text(file, seal.manifest_offset, seal.manifest_size);
  if (checksum(head.text) != seal.manifest_checksum) throw IoError("its manifest is damaged");
  head.manifest = parse_manifest(head.text);
  check_places(seal, head.manifest);
  if (frame_checksum(file, seal.file_size, head.manifest.entries) != seal.frame_checksum)
    throw IoError("its HDF5 structures or its table of checksums are damaged");
  head.checksums.resize(static_cast<std::size_t>(head.manifest.tiles));
  read_at(file, std::as_writable_bytes(std::span(head.checksums)), head.manifest.checksums_offset);
  return head;
}

}  // namespace tessera::io::detail
