// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <string>

#include <tessera/runtime/group.hpp>

#include "factorisation.hpp"

namespace tessera::benchmark::lu {

/// A matrix, and one way to factor it.
struct Way {
  std::string name;
  /// Calls a function with this rank's elements. @collective
  std::function<void(const std::function<void(const Block&)>&)> visit;
  /// Replaces the matrix by its factors. Returns the seconds that this rank spent on communication; 0 if
  /// unknown. @collective
  std::function<double()> factor;
};

/// One-sided gets. @collective
Way by_gets(const Group& world, const Ownership& own, Prefetch prefetch);
/// MPI_Bcast, or MPI_Ibcast for panels that are prefetched. @collective
Way by_broadcasts(const Group& world, const Ownership& own, Prefetch prefetch);
/// ScaLAPACK's PDGETRF, which looks for pivots. The layout must be block-cyclic. @collective
Way by_pdgetrf(const Group& world, const Ownership& own);

/// Sets the elements of a matrix that is diagonally dominant by rows and columns, so that no rows need to be
/// exchanged. @collective
void set(const Ownership& own, const Way& way);
/// Factors a matrix. Its factors must be those of LAPACK's DGETRF on one process. @collective @throws Error
void check_factors(const Group& world, const Ownership& own, const Way& way);
/// Factors a matrix, and returns max |A - L U| / (max |A| n epsilon). @collective
double residual(const Group& world, const Ownership& own, const Way& way);

}  // namespace tessera::benchmark::lu
