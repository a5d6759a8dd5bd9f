// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace tessera::benchmark {

/// Bytes of a KiB, of a MiB, and of a double.
inline constexpr index_t kib = 1024, mib = 1024 * kib, element = sizeof(double);

}  // namespace tessera::benchmark
