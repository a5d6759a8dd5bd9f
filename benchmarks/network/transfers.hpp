// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "ends.hpp"
#include "library_movers.hpp"
#include "sizes.hpp"

namespace tessera::benchmark::network {

inline constexpr int target = Ends::target;

}  // namespace tessera::benchmark::network
