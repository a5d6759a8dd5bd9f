// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Bytes that processors move at once: what different processes write does not share them, and streams fill
/// them whole.
constexpr index_t cache_line = 64;

}  // namespace tessera::detail
