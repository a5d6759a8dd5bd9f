// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiles/tiles.hpp"

// What a checkpoint's file says about itself, as text: a dataset of it, beside the checksums of the tiles, a
// dataset of numbers. All @local.
namespace tessera::io::detail {

inline constexpr const char* manifest_name = "tessera_manifest";
inline constexpr const char* checksums_name = "tessera_checksums";

/// The longest manifest: a reader has all of it in memory.
inline constexpr index_t most_manifest_bytes = index_t{64} << 20;

struct Manifest {
  std::int64_t generation = 0, step = 0;
  std::string written;  // date and time, UTC
  std::string library;
  std::vector<Entry> entries;
  index_t tiles = 0;
  index_t checksums_offset = 0;

  /// The same number of bytes whatever the offsets are.
  std::string text() const;
};
/// The sizes of its entries can be computed without overflow, and it has this very text; whether they fit a
/// file is check_places()'s matter. @throws IoError if it is not one, or of another byte order.
Manifest parse_manifest(const std::string& text);

/// "array "density"", "value "time"", for messages.
std::string describe(const Entry& entry);

}  // namespace tessera::io::detail
