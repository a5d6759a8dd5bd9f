// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Bytes of a cache line. Data that different processes write never shares a line, and streaming stores fill
/// whole lines.
constexpr index_t cache_line = 64;

}  // namespace tessera::detail
