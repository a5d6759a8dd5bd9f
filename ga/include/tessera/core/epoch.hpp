// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>

namespace tessera::detail {

/// What an array is used for during a phase of a program.
enum class Mode : std::uint8_t { read_only, accumulate_only, disjoint_writes };

/// "read_only". @local
const char* to_string(Mode mode) noexcept;

}  // namespace tessera::detail
