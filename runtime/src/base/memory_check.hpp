// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// What a machine can still back with pages, and what says so.
struct MemoryAvailable {
  index_t bytes;
  std::string limited_by;
};

/// The least of the kernel's MemAvailable and what every control group above this process leaves. @local
MemoryAvailable memory_available();

/// The room in /dev/shm, for mappings that live there. @local
index_t shm_room();

/// Reads "512M", "2G" and the like; nothing for what is not such a number. @local
std::optional<index_t> parse_bytes(std::string_view text);

/// "1.50 GiB". @local
std::string format_bytes(index_t bytes);

}  // namespace tessera::detail
