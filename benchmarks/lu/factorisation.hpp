// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "matrix.hpp"

namespace tessera::benchmark::lu {

/// Whether the panels of a step are made, and travel, while ranks still work on the step before.
enum class Prefetch { no, yes };

/// Replaces a matrix by its factors L and U, without exchanging rows. Returns the seconds that this rank spent
/// on communication, waiting for others included. @collective
double factor(Matrix& matrix, Prefetch prefetch);

}  // namespace tessera::benchmark::lu
