// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The memory that a machine can still back with pages, and the source of this limit.
struct MemoryAvailable {
  index_t bytes;
  std::string limited_by;
};

/// The smallest of the kernel's MemAvailable and the room left in each control group above this process. @local
MemoryAvailable memory_available();

/// The room in /dev/shm, for mappings that live there, and its whole size. @local
index_t shm_room();
index_t shm_size();

/// Reads "512M", "2G" and the like; empty if the text is not such a number. @local
std::optional<index_t> parse_bytes(std::string_view text);

/// "1.50 GiB". @local
std::string format_bytes(index_t bytes);

}  // namespace tessera::detail
