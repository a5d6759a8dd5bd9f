// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// The energies of the orbitals along a dimension of a tensor, and their sign in denominators. Refers to the
/// energies. @local
struct OrbitalEnergies {
  std::span<const double> values;
  double sign = 1;
};

namespace detail {
void divide_by_denominators(const tessera::detail::SliceCore& t, std::span<const OrbitalEnergies> energies,
                            double shift);
}

/// Divides each element of a tensor by its energy denominator, which is never stored:
/// `divide_by_denominators(t, {{occupied}, {occupied}, {virtuals, -1}, {virtuals, -1}})` sets t(i, j, a, b) to
/// t(i, j, a, b) / (shift + e(i) + e(j) - e(a) - e(b)). Denominators are computed in double precision. A
/// denominator of zero gives infinity or NaN. The energies are the same on every rank. @collective
/// @throws UsageError on every rank unless there is one list for each dimension, as long as the dimension
template <WritableOperand A>
requires MatrixElement<value_t<A>>
void divide_by_denominators(A&& t, const std::vector<OrbitalEnergies>& energies, double shift = 0) {
  detail::divide_by_denominators(slice_of(t).core(), energies, shift);
}

}  // namespace tessera::linalg
