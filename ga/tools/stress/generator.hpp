// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "script.hpp"

namespace tessera::stress {

/// A random script for a number of ranks; the same for the same seed. @local
Script generate(index_t seed, index_t operations, int ranks);

}  // namespace tessera::stress
