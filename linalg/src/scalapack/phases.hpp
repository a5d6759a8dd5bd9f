// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {

/// Multiplies each column by a number of magnitude one, so that it does not depend on the distribution of the
/// work. The first component whose magnitude is within 1e-6 (of single precision: 1e-3) of the column's largest
/// becomes real and positive. Returns the numbers, the same on every rank. @collective
template <class T>
std::vector<T> fix_phases(const SliceCore& vectors);
/// Multiplies each row by the conjugate of its number. @local
template <class T>
void unfix_phases(const SliceCore& rows, const std::vector<T>& phases);

}  // namespace tessera::linalg::detail
