// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/error.hpp>

#include "checkpoint/manifest.hpp"
#include "fuzz.hpp"
#include "printable.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::io;
  using tessera::fuzz::require;
  const std::string text = tessera::fuzz::text_of(data, size);
  try {
    const detail::Manifest manifest = detail::parse_manifest(text);
    require(manifest.text() == text, "a manifest has one text");
    tessera::index_t tiles = 0;
    for (const detail::Entry& entry : manifest.entries) {
      require(entry.first_tile == tiles, "tiles are numbered across entries");
      tiles += entry.tile_count();
      require(entry.bytes() >= 0 && entry.tile_count() >= 0, "sizes do not overflow");
    }
    require(tiles == manifest.tiles, "the tiles are counted");
  } catch (const IoError& error) {
    require(tessera::printable(error.what()) == error.what(), "a message is safe for a terminal");
  }
  return 0;
}
