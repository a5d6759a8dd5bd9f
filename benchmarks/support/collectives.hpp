// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "session.hpp"

namespace tessera::benchmark {

/// The section "collectives": collective calls of all ranks against MPI's. Without other ranks there is none.
/// @collective
void measure_collectives(Session& session);

}  // namespace tessera::benchmark
