// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>
#include <utility>

#include <tessera/io/error.hpp>

#include "base/checksum.hpp"
#include "checkpoint/head.hpp"
#include "fuzz.hpp"
#include "printable.hpp"
#include "scratch_file.hpp"

// Files of checkpoints. The checksums of a random file are never right. So unless an input begins with 'r', it
// describes a file, which gets a seal with the right checksums:
//   two bytes: the size of what is before the manifest, in units of 64 bytes; the size of what is behind it
//   one byte: how far beside its place the seal says that the manifest is
//   the rest: the manifest
namespace {

using namespace tessera::io;
using tessera::index_t;
using tessera::fuzz::require;

const tessera::fuzz::ScratchFile scratch;

constexpr std::size_t page = detail::page_bytes, header = 4;

struct Forged {
  std::string bytes;
  bool is_valid = false;  // as far as all but the frame's checksum tells
};

std::uint64_t checksum_of_frame(const detail::Seal& seal, const std::vector<detail::Entry>& entries) {
  const auto file = detail::open_to_read(scratch.path());
  return detail::frame_checksum(file, seal.file_size, entries);
}

Forged forged(const std::string& input) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
  const std::string manifest = input.substr(header);
  Forged file{std::string(page + 64U * byte(1), '\0') + manifest + std::string(byte(2), '\0')};
  detail::Seal seal;
  seal.file_size = static_cast<index_t>(file.bytes.size());
  seal.manifest_offset = static_cast<index_t>(page) + 64 * byte(1) + (byte(3) ^ 0x80) - 0x80;
  seal.manifest_size = static_cast<index_t>(manifest.size());
  seal.manifest_checksum = detail::checksum(manifest);
  file.is_valid = byte(3) == 0;
  try {
    const auto entries = detail::parse_manifest(manifest);
    detail::check_places(seal, entries);
    scratch.write(file.bytes);
    seal.frame_checksum = checksum_of_frame(seal, entries.entries);
  } catch (const IoError&) {
    file.is_valid = false;
  }
  file.bytes.replace(0, page, seal.text());
  return file;
}

// What the readers of a checkpoint compute from its head does not overflow.
void check_shares(const detail::Head& head) {
  for (const int ranks : {1, 3, 4096}) {
    index_t bytes = 0, all = 0;
    for (const int rank : {0, ranks / 2, ranks - 1}) {
      const auto ranges = detail::share(head.manifest.entries, rank, ranks);
      for (const auto& range : ranges) require(range.begin <= range.end, "a share has no less than nothing");
      if (ranks == 3) bytes += detail::bytes_in(head.manifest.entries, ranges);
    }
    for (const auto& entry : head.manifest.entries) all += entry.bytes();
    require(ranks != 3 || bytes == all, "each byte has one reader");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input = tessera::fuzz::text_of(data, size);
  Forged file{input.substr(std::min<std::size_t>(1, size))};
  if (size >= header && input[0] != 'r') file = forged(input);
  scratch.write(file.bytes);
  (void)detail::has_seal(scratch.path());
  try {
    const detail::Head head = detail::read_head(scratch.path());
    require(head.manifest.text() == head.text, "a manifest has one text");
    require(static_cast<index_t>(head.checksums.size()) == head.manifest.tiles, "each tile has a checksum");
    check_shares(head);
  } catch (const IoError& error) {
    require(!file.is_valid, "a valid file is read");
    require(tessera::printable(error.what()) == error.what(), "a message is safe for a terminal");
  }
  return 0;
}
