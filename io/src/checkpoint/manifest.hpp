// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiles/tiles.hpp"

// The manifest: what a checkpoint's file says about itself. It is text in one dataset; another dataset holds
// the checksums of the tiles. All @local.
namespace tessera::io::detail {

inline constexpr const char* manifest_name = "tessera_manifest";
inline constexpr const char* checksums_name = "tessera_checksums";

/// The longest manifest. A reader holds all of it in memory.
inline constexpr index_t max_manifest_bytes = index_t{64} << 20;

struct Manifest {
  std::int64_t generation = 0, step = 0;
  std::string written;  // date and time, UTC
  std::string library;
  std::vector<Entry> entries;
  index_t tiles = 0;
  index_t checksums_offset = 0;

  /// Its length does not depend on the offsets.
  std::string text() const;
};
/// Parses a manifest. The result has exactly this text, and the sizes of its entries can be computed without
/// overflow. check_places() checks whether they fit the file. @throws IoError if the text is not a manifest, or
/// has another byte order.
Manifest parse_manifest(const std::string& text);

/// Kind and name of an entry for messages: array "density", value "time".
std::string describe(const Entry& entry);

}  // namespace tessera::io::detail
