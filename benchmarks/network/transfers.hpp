// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "ends.hpp"
#include "library_movers.hpp"

namespace tessera::benchmark::network {

inline constexpr index_t kib = 1024, mib = 1024 * kib, element = sizeof(double);
inline constexpr int target = Ends::target;

}  // namespace tessera::benchmark::network
