// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace tessera::benchmark {

/// Seconds since an arbitrary time. @local
double now() noexcept;

/// Arithmetic in registers: calls nothing, touches no memory, and takes equally long for every step. @local
void compute(index_t steps) noexcept;
/// The number of steps that take so many seconds on a free core, from a short trial. @local
index_t steps_of(double seconds);

}  // namespace tessera::benchmark
