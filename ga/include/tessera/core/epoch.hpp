// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

namespace tessera::detail {

/// The only way in which an array is used during an epoch.
enum class Mode : std::uint8_t { read_only, accumulate_only, disjoint_writes };

/// "read_only". @local
const char* to_string(Mode mode) noexcept;

}  // namespace tessera::detail
