// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "session.hpp"

/// The sections of the benchmark, each a table of its own.
namespace tessera::benchmark::linalg {

/// @collective, all of these; `global_arrays`: whether the library runs
void gemm(Session& session, bool global_arrays);

}  // namespace tessera::benchmark::linalg
