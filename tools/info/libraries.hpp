// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

#include "json.hpp"

namespace tessera::info {

/// The numerical and file libraries of this build, and what is known of them. @local
Json libraries(const Group& world);

/// The compiler and the options that Tessera was built with. @local
Json build();

}  // namespace tessera::info
